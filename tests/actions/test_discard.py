"""Discard into the trash, and the way back."""

from __future__ import annotations

import json
from typing import Any

import pytest
import redis

from dashboard.actions.refusals import Refused
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.job import digest
from tests.actions.as_shown import MAIL, act_id, fill, job, row
from tests.actions.before_after import changes, everything
from tests.actions.conftest import Acting

A, B = job("A"), job("B")
ODD = [b"not json", b"", b"\x80\x04\x95\xff\xfe", b"[]", b"\0watchkeeper:removed?"]


def test_a_discarded_job_lies_in_the_trash_with_where_it_came_from_and_by_whom(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [A, B])
    shown = row(redis_client, "dead", A)
    before = everything(redis_client)

    outcome = acting("ann").discard(b"mail", [shown])

    changed = changes(before, everything(redis_client))
    (entry,) = changed.pop("mail:trash")
    assert abs(float(entry.pop(b"at")) - redis_client.time()[0]) < 5
    assert entry == {b"raw": A, b"place": b"dead", b"due": b"", b"worker": b"", b"by": b"ann"}
    assert json.loads(changed.pop(f"mail:acts:{shown[1]}"))["code"] == "discarded"
    assert changed == {
        "mail:dead": [B],
        "mail:stats": {b"discarded": b"1"},
        "mail:events": [
            {
                b"event": b"discarded",
                b"by": b"ann",
                b"place": b"dead",
                b"worker": b"",
                b"jobs": digest(A).encode(),
            }
        ],
    }
    entries: Any = redis_client.xrange(MAIL.trash)
    assert outcome.trash_ids == (entries[0][0].decode(),) == (outcome.answers[0].trash_id,)
    assert outcome.moved_count == 1


@pytest.mark.parametrize("place", ["pending", "dead", "delayed"])
@pytest.mark.parametrize("raw", [A, *ODD])
def test_whatever_stands_there_can_be_discarded_and_restored_unchanged(
    redis_client: redis.Redis, acting: Acting, place: str, raw: bytes
) -> None:
    if place == "delayed":
        redis_client.zadd(MAIL.delayed, {raw: 1234.5, B: 7})
    else:
        fill(redis_client, getattr(MAIL, place), [B, raw])
    before = everything(redis_client)[f"mail:{place}"]

    discarded = acting().discard(b"mail", [row(redis_client, place, raw)])
    assert discarded.moved_count == 1
    assert len(everything(redis_client)[f"mail:{place}"]) == 1

    restored = acting().restore(b"mail", discarded.trash_ids[0], act_id())
    assert (restored.moved_count, restored.place) == (1, place)
    assert everything(redis_client)[f"mail:{place}"] == before
    assert redis_client.xlen(MAIL.trash) == 0


def test_a_second_click_discards_no_equal_job(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [A, A, A])
    shown = row(redis_client, "dead", A, nth=1)
    acting("ann").discard(b"mail", [shown])
    before = everything(redis_client)

    outcome = acting("bob").discard(b"mail", [shown])

    assert everything(redis_client) == before
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.repeated.code) == ("ann", Code.DISCARDED)


def test_case_36_the_discarded_row_is_the_one_that_was_shown(
    redis_client: redis.Redis, acting: Acting
) -> None:
    first, second = job("dup", payload="first"), job("dup", payload="second")
    fill(redis_client, MAIL.dead, [job("C"), second, first])
    shown = row(redis_client, "dead", second)
    redis_client.lpush(MAIL.dead, job("N"))
    redis_client.rpop(MAIL.dead)

    acting().discard(b"mail", [shown])

    assert redis_client.lrange(MAIL.dead, 0, -1) == [job("N"), first]


def test_a_job_of_a_live_worker_stays_with_it(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.processing(b"w1"), [A])
    redis_client.hset(MAIL.heartbeats, "w1", redis_client.time()[0])
    shown = row(redis_client, "processing", A, worker=b"w1")
    before = everything(redis_client)

    outcome = acting().discard(b"mail", [shown])

    assert (outcome.moved_count, outcome.alive_count) == (0, 1)
    assert everything(redis_client) == before


@pytest.mark.parametrize("heartbeat", [None, 600])
def test_a_job_of_a_dead_worker_can_be_discarded_and_comes_back_to_dead(
    redis_client: redis.Redis, acting: Acting, heartbeat: int | None
) -> None:
    fill(redis_client, MAIL.processing(b"w1"), [A, B])
    if heartbeat:
        redis_client.hset(MAIL.heartbeats, "w1", redis_client.time()[0] - heartbeat)

    outcome = acting().discard(b"mail", [row(redis_client, "processing", A, worker=b"w1")])
    assert outcome.moved_count == 1
    assert redis_client.lrange(MAIL.processing(b"w1"), 0, -1) == [B]

    restored = acting().restore(b"mail", outcome.trash_ids[0], act_id())
    assert restored.place == "dead"
    assert redis_client.lrange(MAIL.dead, 0, -1) == [A]


def test_a_job_that_is_gone_is_answered_so(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [A])
    shown = row(redis_client, "dead", A)
    redis_client.delete(MAIL.dead)

    outcome = acting().discard(b"mail", [shown])

    assert (outcome.moved_count, outcome.gone_count, outcome.trash_ids) == (0, 1, ())
    assert everything(redis_client) == {}


def test_a_restore_is_written_down_and_a_second_one_moves_nothing(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [A, B])
    (trash_id,) = acting("ann").discard(b"mail", [row(redis_client, "dead", A)]).trash_ids
    before, act = everything(redis_client), act_id()

    acting("ann").restore(b"mail", trash_id, act)

    changed = changes(before, everything(redis_client))
    assert json.loads(changed.pop(f"mail:acts:{act}"))["code"] == "restored"
    assert changed.pop("mail:events")[-1] == {
        b"event": b"restored",
        b"by": b"ann",
        b"place": b"dead",
        b"jobs": digest(A).encode(),
    }
    assert changed == {
        "mail:dead": [A, B],
        "mail:trash": [],
        "mail:stats": {b"discarded": b"1", b"restored": b"1"},
    }
    before = everything(redis_client)
    repeated = acting("bob").restore(b"mail", trash_id, act)
    other_form = acting("bob").restore(b"mail", trash_id, act_id())
    assert everything(redis_client) == before
    assert repeated.repeated is not None
    assert (repeated.repeated.by, repeated.moved_count) == ("ann", 0)
    assert (other_form.moved_count, other_form.gone_count) == (0, 1)


def test_a_restored_delayed_job_does_not_fall_together_with_an_equal_one(
    redis_client: redis.Redis, acting: Acting
) -> None:
    redis_client.zadd(MAIL.delayed, {A: 100})
    (trash_id,) = acting().discard(b"mail", [row(redis_client, "delayed", A)]).trash_ids
    redis_client.zadd(MAIL.delayed, {A: 900})

    acting().restore(b"mail", trash_id, act_id())

    assert redis_client.zrange(MAIL.delayed, 0, -1, withscores=True) == [(A + b" ", 100.0), (A, 900.0)]


@pytest.mark.parametrize("odd", ["", "-", "+", "5", "5-1 ", "$", "1-1' OR", "9" * 30 + "-1"])
def test_an_odd_trash_id_is_refused(redis_client: redis.Redis, acting: Acting, odd: str) -> None:
    with pytest.raises(Refused, match="no entry of the trash") as refusal:
        acting().restore(b"mail", odd, act_id())
    assert refusal.value.status == 422
    assert everything(redis_client) == {}


@pytest.mark.parametrize("key", [MAIL.dead, MAIL.trash])
def test_a_key_of_another_type_is_named_and_nothing_moves(
    redis_client: redis.Redis, acting: Acting, key: bytes
) -> None:
    fill(redis_client, MAIL.dead, [A])
    shown = row(redis_client, "dead", A)
    redis_client.delete(key)
    redis_client.set(key, "text")
    before = everything(redis_client)

    with pytest.raises(WrongKeyType, match=key.decode()):
        acting().discard(b"mail", [shown])
    assert everything(redis_client) == before
