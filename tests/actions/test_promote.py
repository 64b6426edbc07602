"""Promote delayed jobs: exact ones now, or all that are due."""

from __future__ import annotations

import json

import pytest
import redis

from dashboard.actions.bulk import PROMOTE_CHUNK
from dashboard.actions.refusals import Refused
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.job import digest
from tests.actions.as_shown import MAIL, act_id, fill, ids, job, row
from tests.actions.before_after import changes, everything
from tests.actions.conftest import Acting

A, B, C = job("A", attempts=1), job("B", attempts=1), job("C", attempts=1)
LATER = 4_000_000_000


def test_a_promoted_job_runs_next_and_its_bytes_stay(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.pending, [job("waits", attempts=0)])
    redis_client.zadd(MAIL.delayed, {A: LATER, B: LATER, C: LATER})
    shown = row(redis_client, "delayed", B)
    before = everything(redis_client)

    outcome = acting("ann").promote(b"mail", [shown])

    changed = changes(before, everything(redis_client))
    assert json.loads(changed.pop(f"mail:acts:{shown[1]}"))["code"] == "promoted"
    (event,) = changed.pop("mail:events")
    assert (event[b"event"], event[b"by"], event[b"count"]) == (b"promoted", b"ann", b"1")
    assert digest(B).encode() in event[b"jobs"]
    assert changed == {
        "mail:delayed": [(A, float(LATER)), (C, float(LATER))],
        "mail:pending": [job("waits", attempts=0), B],
        "mail:stats": {b"promoted": b"1"},
    }
    assert outcome.moved_count == 1


def test_several_ticked_jobs_run_next_in_the_order_they_were_due(
    redis_client: redis.Redis, acting: Acting
) -> None:
    redis_client.zadd(MAIL.delayed, {A: LATER, B: LATER + 1, C: LATER + 2})
    picks = [row(redis_client, "delayed", raw) for raw in (B, C, A)]

    outcome = acting().promote(b"mail", picks)

    assert outcome.moved_count == 3
    assert redis_client.lrange(MAIL.pending, 0, -1) == [C, B, A]


def test_a_second_click_promotes_nothing(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.zadd(MAIL.delayed, {A: LATER})
    shown = row(redis_client, "delayed", A)
    acting("ann").promote(b"mail", [shown])
    redis_client.zadd(MAIL.delayed, {A: LATER})
    before = everything(redis_client)

    outcome = acting("bob").promote(b"mail", [shown])

    assert everything(redis_client) == before
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.repeated.code) == ("ann", Code.PROMOTED)


@pytest.mark.parametrize("score", [-1, 0.1, 1700000000.123456, float("inf"), float("-inf"), 1e300])
def test_a_job_with_any_due_time_is_found(redis_client: redis.Redis, acting: Acting, score: float) -> None:
    redis_client.zadd(MAIL.delayed, {A: score, B: 5})

    assert acting().promote(b"mail", [row(redis_client, "delayed", A)]).moved_count == 1
    assert redis_client.lrange(MAIL.pending, 0, -1) == [A]


def test_a_job_that_was_rescheduled_meanwhile_is_not_the_one_that_was_shown(
    redis_client: redis.Redis, acting: Acting
) -> None:
    redis_client.zadd(MAIL.delayed, {A: LATER})
    shown = row(redis_client, "delayed", A)
    redis_client.zadd(MAIL.delayed, {A: LATER + 60})
    before = everything(redis_client)

    assert acting().promote(b"mail", [shown]).gone_count == 1
    assert everything(redis_client) == before


def test_among_thousands_of_one_due_time_the_one_that_was_shown_is_found(
    redis_client: redis.Redis, acting: Acting
) -> None:
    jobs = [job(f"{number:05d}") for number in range(5000)]
    redis_client.zadd(MAIL.delayed, dict.fromkeys(jobs, LATER))
    shown = row(redis_client, "delayed", jobs[4500])
    redis_client.zrem(MAIL.delayed, *jobs[2000:4000])

    assert acting().promote(b"mail", [shown]).moved_count == 1
    assert redis_client.lrange(MAIL.pending, 0, -1) == [jobs[4500]]
    assert redis_client.zcard(MAIL.delayed) == 2999


def test_all_due_jobs_go_behind_what_waits_in_due_order_and_the_rest_stays(
    redis_client: redis.Redis, acting: Acting
) -> None:
    count = 2 * PROMOTE_CHUNK + 3
    now = redis_client.time()[0]
    redis_client.zadd(MAIL.delayed, {job(number): now - count + number for number in range(count)})
    redis_client.zadd(MAIL.delayed, {A: LATER})
    fill(redis_client, MAIL.pending, [job("waits", attempts=0)])

    outcome = acting().promote_due(b"mail", act_id(), count)

    assert outcome.moved_count == count
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == [*reversed(range(count)), "waits"]
    assert redis_client.zrange(MAIL.delayed, 0, -1) == [A]


def test_no_more_than_the_page_showed_are_promoted(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.zadd(MAIL.delayed, {job(number): number for number in range(300)})

    assert acting().promote_due(b"mail", act_id(), 250).moved_count == 250
    assert ids(redis_client.zrange(MAIL.delayed, 0, -1)) == list(range(250, 300))


def test_a_second_click_on_all_due_says_who_did_it(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.zadd(MAIL.delayed, {job(number): number for number in range(300)})
    act = act_id()
    acting("ann").promote_due(b"mail", act, 250)
    before = everything(redis_client)

    outcome = acting("bob").promote_due(b"mail", act, 250)

    assert everything(redis_client) == before
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.moved_count) == ("ann", 0)


def test_nothing_due_is_an_act_that_moves_nothing(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.zadd(MAIL.delayed, {A: LATER})

    assert acting().promote_due(b"mail", act_id(), 10).moved_count == 0
    assert redis_client.zrange(MAIL.delayed, 0, -1) == [A]
    assert not redis_client.exists(MAIL.pending)


def test_a_list_in_place_of_delayed_is_named_and_left_alone(
    redis_client: redis.Redis, acting: Acting
) -> None:
    redis_client.zadd(MAIL.delayed, {A: 1})
    shown = row(redis_client, "delayed", A)
    redis_client.delete(MAIL.delayed)
    redis_client.rpush(MAIL.delayed, "old")
    before = everything(redis_client)

    with pytest.raises(WrongKeyType, match="mail:delayed is a list"):
        acting().promote_due(b"mail", act_id(), 10)
    with pytest.raises(WrongKeyType, match="mail:delayed is a list"):
        acting().promote(b"mail", [shown])
    assert everything(redis_client) == before


def test_a_dead_job_is_not_promoted(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [A])
    before = everything(redis_client)

    with pytest.raises(Refused, match="Promote works on delayed jobs") as refusal:
        acting().promote(b"mail", [row(redis_client, "dead", A)])
    assert refusal.value.status == 422
    assert everything(redis_client) == before
