"""Ticked rows: many exact jobs in one act, each answered by itself."""

from __future__ import annotations

import redis

from dashboard.queue.address import Address
from dashboard.queue.answers import Code
from dashboard.queue.job import digest
from tests.actions.as_shown import MAIL, ROW, act_id, fill, ids, job, row
from tests.actions.before_after import everything
from tests.actions.conftest import Acting


def row_at(hint: int, raw: bytes) -> Address:
    """The address of a dead job without looking for it."""
    return Address("dead", len(raw), digest(raw), hint)


def rows_of(client: redis.Redis, numbers: list[int]) -> list[ROW]:
    """Rows of numbered dead jobs that stand where their number says."""
    return [(row(client, "dead", job(number))[0], act_id()) for number in numbers]


def test_ticked_jobs_run_next_in_the_order_of_their_age(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.pending, [job("waits", attempts=0)])
    fill(redis_client, MAIL.dead, [job(number) for number in range(6)])

    outcome = acting().retry(b"mail", rows_of(redis_client, [1, 4, 3]))

    assert outcome.moved_count == 3
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == ["waits", 4, 3, 1]
    assert ids(redis_client.lrange(MAIL.dead, 0, -1)) == [5, 2, 0]


def test_each_ticked_job_has_its_own_answer_in_the_order_given(
    redis_client: redis.Redis, acting: Acting
) -> None:
    bad = b"not json"
    fill(redis_client, MAIL.dead, [job("moves"), job("done before"), bad, job("gone")])
    names = ("gone", "moves", "done before")
    gone, moves, done = (row(redis_client, "dead", job(name)) for name in names)
    unreadable = row(redis_client, "dead", bad)
    acting("bob").retry(b"mail", [done])
    redis_client.lrem(MAIL.dead, 1, job("gone").decode())

    outcome = acting("ann").retry(b"mail", [gone, moves, unreadable, done])

    codes = [Code.GONE, Code.RETRIED, Code.UNREADABLE, Code.REPEATED]
    assert [answer.code for answer in outcome.answers] == codes
    assert [answer.address for answer in outcome.answers] == [gone[0], moves[0], unreadable[0], done[0]]
    assert (outcome.moved_count, outcome.gone_count, outcome.unreadable_count) == (1, 1, 1)
    assert outcome.repeated_count == 1
    assert outcome.repeated is not None
    assert outcome.repeated.by == "bob"
    assert redis_client.lrange(MAIL.dead, 0, -1) == [bad]


def test_the_same_form_sent_twice_moves_nothing_the_second_time(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.dead, [job(number % 3) for number in range(30)])
    ticked = [row(redis_client, "dead", job(1), nth=nth) for nth in (0, 4, 7)]
    acting().retry(b"mail", ticked)
    before = everything(redis_client)

    outcome = acting().retry(b"mail", ticked)

    assert (outcome.moved_count, outcome.repeated_count) == (0, 3)
    assert everything(redis_client) == before


def test_two_thousand_ticked_rows_all_move(redis_client: redis.Redis, acting: Acting) -> None:
    jobs = [job(number) for number in range(2500)]
    fill(redis_client, MAIL.dead, jobs)
    ticked = [(row_at(number, jobs[number]), act_id()) for number in range(250, 2250)]
    redis_client.lpush(MAIL.dead, job("newer"))

    outcome = acting().retry(b"mail", ticked)

    assert (outcome.moved_count, outcome.gone_count) == (2000, 0)
    assert ids(redis_client.lrange(MAIL.pending, 0, -1)) == list(reversed(range(250, 2250)))
    left = ["newer", *reversed(range(2250, 2500)), *reversed(range(250))]
    assert ids(redis_client.lrange(MAIL.dead, 0, -1)) == left


def test_ticked_rows_of_several_pages_are_found_after_the_oldest_were_retried(
    redis_client: redis.Redis, acting: Acting
) -> None:
    jobs = [job(number) for number in range(1200)]
    fill(redis_client, MAIL.dead, jobs)
    ticked = [(row_at(number, jobs[number]), act_id()) for number in range(600, 1200, 30)]
    redis_client.rpop(MAIL.dead, 500)

    outcome = acting().discard(b"mail", ticked)

    assert (outcome.moved_count, outcome.gone_count) == (20, 0)
    assert len(outcome.trash_ids) == 20
    assert redis_client.llen(MAIL.dead) == 680


def test_no_ticked_row_is_an_act_that_does_nothing(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.dead, [job(1)])
    before = everything(redis_client)

    assert acting().retry(b"mail", []).answers == ()
    assert everything(redis_client) == before
