"""The job that was shown is the one that moves, whatever happened to the list since."""

from __future__ import annotations

import pytest
import redis

from tests.actions.as_shown import MAIL, fill, ids, job, row
from tests.actions.conftest import Acting

A, B, C = job("A"), job("B"), job("C")


def test_case_36_the_job_that_was_shown_moves_although_others_arrived_and_left(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [A, B, C])
    shown = row(redis_client, "dead", B)
    redis_client.lpush(MAIL.dead, job("N"))
    redis_client.rpop(MAIL.dead)

    assert acting().retry(b"mail", [shown]).moved_count == 1
    assert ids(redis_client.lrange(MAIL.dead, 0, -1)) == ["N", "C"]
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == ["B"]


def test_case_36_of_two_jobs_with_one_id_the_one_that_was_shown_moves(
    redis_client: redis.Redis, acting: Acting
) -> None:
    first, second = job("dup", payload="first"), job("dup", payload="second")
    fill(redis_client, MAIL.dead, [first, second])

    acting().retry(b"mail", [row(redis_client, "dead", second)])

    assert redis_client.lrange(MAIL.dead, 0, -1) == [first]


def test_case_36_of_three_equal_jobs_one_moves_for_each_form(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [A, A, A])
    shown = row(redis_client, "dead", A, nth=1)

    for _ in range(3):
        acting().retry(b"mail", [shown])
    assert redis_client.llen(MAIL.dead) == 2

    acting().retry(b"mail", [row(redis_client, "dead", A, nth=1)])
    assert (redis_client.llen(MAIL.dead), redis_client.llen(MAIL.pending)) == (1, 2)


@pytest.mark.parametrize("drift", ["towards the right end", "away from it"])
def test_a_job_that_drifted_far_from_where_it_was_shown_is_found(
    redis_client: redis.Redis, acting: Acting, drift: str
) -> None:
    fill(redis_client, MAIL.dead, [job(number) for number in range(4000)])
    shown = row(redis_client, "dead", job(2000))
    if drift == "towards the right end":
        redis_client.rpop(MAIL.dead, 1500)
    else:
        redis_client.rpush(MAIL.dead, *(job(f"under {number}") for number in range(1500)))

    assert acting().retry(b"mail", [shown]).moved_count == 1
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == [2000]
    assert job(2000) not in redis_client.lrange(MAIL.dead, 0, -1)
