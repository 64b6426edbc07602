"""Retry of single dead jobs."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from dashboard.actions.refusals import Refused
from dashboard.queue.address import Address
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.job import digest
from tests.actions.as_shown import MAIL, act_id, fill, ids, job, row
from tests.actions.before_after import changes, everything
from tests.actions.conftest import Acting

A, B, C = job("A"), job("B"), job("C")


def test_a_retry_moves_that_job_to_the_front_of_pending_and_is_written_down(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.pending, [job("waits", attempts=0)])
    fill(redis_client, MAIL.dead, [A, B, C])
    shown = row(redis_client, "dead", B)
    before = everything(redis_client)

    outcome = acting("ann").retry(b"mail", [shown])

    retried = job("B", attempts=0)
    changed = changes(before, everything(redis_client))
    answer = json.loads(changed.pop(f"mail:acts:{shown[1]}"))
    assert changed == {
        "mail:dead": [C, A],
        "mail:pending": [job("waits", attempts=0), retried],
        "mail:stats": {b"retried": b"1"},
        "mail:events": [
            {
                b"event": b"retried",
                b"by": b"ann",
                b"count": b"1",
                b"jobs": f"{digest(B)}>{digest(retried)}".encode(),
            }
        ],
    }
    assert (answer["by"], answer["code"], answer["count"]) == ("ann", "retried", "1")
    assert (outcome.verb, outcome.queue, outcome.moved_count) == ("retry", b"mail", 1)
    assert [(one.address, one.code) for one in outcome.answers] == [(shown[0], Code.RETRIED)]
    assert outcome.repeated is None


def test_a_second_click_says_who_did_it_and_when_and_changes_nothing(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [A, A, B])
    shown = row(redis_client, "dead", A)
    acting("ann").retry(b"mail", [shown])
    before, now = everything(redis_client), redis_client.time()[0]

    outcome = acting("bob").retry(b"mail", [shown])

    assert everything(redis_client) == before
    assert outcome.moved_count == 0
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.repeated.code) == ("ann", Code.RETRIED)
    assert abs(outcome.repeated.at - now) < 5


def test_S35_two_operators_retry_one_dead_job_and_get_one_copy(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [A, B])
    first, second = row(redis_client, "dead", A), row(redis_client, "dead", A)

    one, two = acting("ann").retry(b"mail", [first]), acting("bob").retry(b"mail", [second])

    assert (one.moved_count, two.moved_count, two.gone_count) == (1, 0, 1)
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == ["A"]
    assert redis_client.lrange(MAIL.dead, 0, -1) == [B]


def test_a_job_that_is_gone_is_answered_so_and_nothing_else_moves(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [job(number) for number in range(2000)])
    shown = row(redis_client, "dead", job(700))
    redis_client.lrem(MAIL.dead, 1, job(700).decode())
    before = everything(redis_client)

    outcome = acting().retry(b"mail", [shown])

    assert (outcome.moved_count, outcome.gone_count, outcome.answers[0].code) == (0, 1, Code.GONE)
    assert everything(redis_client) == before


@pytest.mark.parametrize(
    "raw",
    [b"not json", b"", b"[]", b"\x80\x04\xff", b'{"id":"x","attempts":"three"}', b'{"id":1,"attempts":1.5}'],
)
def test_an_unreadable_job_stays_and_is_said_to_be_unreadable(
    redis_client: redis.Redis, acting: Acting, raw: bytes
) -> None:
    fill(redis_client, MAIL.dead, [A, raw, B])
    shown = row(redis_client, "dead", raw)
    before = everything(redis_client)

    outcome = acting().retry(b"mail", [shown])

    assert (outcome.moved_count, outcome.unreadable_count) == (0, 1)
    assert everything(redis_client) == before


def test_case_45_no_byte_but_the_counter_changes(redis_client: redis.Redis, acting: Acting) -> None:
    raw = (
        '{"attempts":3, "id":"x1","payload":{"z":1e3,"a":"é","n":12345678901234567890},"extra":true}'.encode()
    )
    fill(redis_client, MAIL.dead, [raw])

    acting().retry(b"mail", [row(redis_client, "dead", raw)])

    assert redis_client.lrange(MAIL.pending, 0, -1) == [raw.replace(b'"attempts":3', b'"attempts":0')]
    assert redis_client.exists(MAIL.dead) == 0


def test_case_51_the_payload_is_not_wrapped(redis_client: redis.Redis, acting: Acting) -> None:
    raw = job("p1", payload={"a": 1})
    fill(redis_client, MAIL.dead, [raw])

    acting().retry(b"mail", [row(redis_client, "dead", raw)])

    (moved,) = redis_client.lrange(MAIL.pending, 0, -1)
    assert json.loads(moved) == {"id": "p1", "payload": {"a": 1}, "attempts": 0}


def test_attempts_can_be_kept(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [A])

    acting().retry(b"mail", [row(redis_client, "dead", A)], keep_attempts=True)

    assert redis_client.lrange(MAIL.pending, 0, -1) == [A]


def test_case_44_twenty_clicks_at_once_move_one_job(redis_client: redis.Redis, acting: Acting) -> None:
    operator = acting()
    for _ in range(30):
        redis_client.flushall()
        fill(redis_client, MAIL.dead, [job(f"k{number}") for number in range(5)])
        shown = row(redis_client, "dead", job("k2"))
        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(lambda _, at=shown: operator.retry(b"mail", [at]), range(20)))

        assert sum(outcome.moved_count for outcome in outcomes) == 1
        assert sum(outcome.repeated_count for outcome in outcomes) == 19
        assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == ["k2"]
        assert ids(redis_client.lrange(MAIL.dead, 0, -1)) == ["k4", "k3", "k1", "k0"]


@pytest.mark.parametrize("key", [MAIL.pending, MAIL.dead])
def test_a_key_of_another_type_is_named_and_nothing_moves(
    redis_client: redis.Redis, acting: Acting, key: bytes
) -> None:
    fill(redis_client, MAIL.dead, [A])
    shown = row(redis_client, "dead", A)
    redis_client.delete(key)
    redis_client.set(key, "text")
    before = everything(redis_client)

    with pytest.raises(WrongKeyType, match=key.decode()):
        acting().retry(b"mail", [shown])
    assert everything(redis_client) == before


def test_a_retry_of_a_job_that_was_not_shown_among_the_dead_is_refused(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.pending, [A])
    before = everything(redis_client)

    with pytest.raises(Refused, match="Retry works on dead jobs") as refusal:
        acting().retry(b"mail", [row(redis_client, "pending", A)])
    assert refusal.value.status == 422
    assert everything(redis_client) == before


@pytest.mark.parametrize("odd", ["", "a b", "a.1", "x" * 49, "../../etc", "é"])
def test_an_odd_one_time_id_is_refused_before_anything_moves(
    redis_client: redis.Redis, acting: Acting, odd: str
) -> None:
    fill(redis_client, MAIL.dead, [A, B])
    good, (address, _) = row(redis_client, "dead", A), row(redis_client, "dead", B)
    before = everything(redis_client)

    with pytest.raises(Refused, match="reload the page") as refusal:
        acting().retry(b"mail", [good, (address, odd)])
    assert refusal.value.status == 422
    assert everything(redis_client) == before


@pytest.mark.parametrize("queue", [b"mail:pending", b"a:processing:b", b"dead", b"x:acts"])
def test_a_queue_whose_name_can_be_read_in_two_ways_is_refused(
    redis_client: redis.Redis, acting: Acting, queue: bytes
) -> None:
    redis_client.lpush(queue + b":dead", A)
    before = everything(redis_client)
    shown = (Address("dead", len(A), digest(A), 0), act_id())

    with pytest.raises(Refused, match="two different queues") as refusal:
        acting().retry(queue, [shown])
    assert refusal.value.status == 409
    assert everything(redis_client) == before
