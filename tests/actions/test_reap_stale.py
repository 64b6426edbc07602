"""Reap of all that is stale or orphaned, in one queue or in all."""

from __future__ import annotations

import pytest
import redis

from dashboard.actions.refusals import Refused
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.keys import QueueKeys
from tests.actions.as_shown import MAIL, act_id, fill, ids, job
from tests.actions.before_after import everything
from tests.actions.conftest import Acting

REPORTS = QueueKeys("reports")


def worker(client: redis.Redis, keys: QueueKeys, name: str, age: int | None, jobs: int = 1) -> None:
    """A worker with a beat that long ago (watched since), holding jobs; None: a list without heartbeat."""
    now = client.time()[0]
    client.hset(keys.policy, "managed", "1")
    if age is not None:
        client.hset(keys.heartbeats, name, now - age)
        client.hset(keys.watch, name, f"{now - age} {now} {now - age}")
    if jobs:
        fill(client, keys.processing(name.encode()), [job(f"{name}-{n}", attempts=0) for n in range(jobs)])


@pytest.fixture
def situation(redis_client: redis.Redis) -> redis.Redis:
    """Two stale workers and an orphan in mail, a stale one in reports, and others that are none of these."""
    worker(redis_client, MAIL, "stale1", 600, jobs=3)
    worker(redis_client, MAIL, "stale2", 601, jobs=2)
    worker(redis_client, MAIL, "orphan", None)
    worker(redis_client, MAIL, "alive", 0)
    worker(redis_client, MAIL, "late", 20)
    worker(redis_client, MAIL, "gone", 600, jobs=0)
    worker(redis_client, REPORTS, "stale3", 600)
    return redis_client


def test_stale_workers_and_orphans_of_a_queue_give_back_their_jobs_with_a_receipt_each(
    situation: redis.Redis, acting: Acting
) -> None:
    outcome = acting("ann").reap_stale(b"mail", act_id())

    receipts = {receipt.worker: receipt for receipt in outcome.receipts}
    assert set(receipts) == {b"stale1", b"stale2", b"orphan"}
    assert {receipt.code for receipt in outcome.receipts} == {Code.REAPED}
    assert [receipts[name].moved_count for name in (b"stale1", b"stale2", b"orphan")] == [3, 2, 1]
    assert (outcome.queue, outcome.moved_count, outcome.left_count) == (b"mail", 6, 0)
    assert situation.llen(MAIL.pending) == 6
    for name in (b"alive", b"late"):
        assert situation.llen(MAIL.processing(name)) == 1
    assert set(situation.hkeys(MAIL.heartbeats)) == {b"alive", b"late", b"gone"}
    assert situation.llen(REPORTS.processing(b"stale3")) == 1


def test_a_key_of_a_wrong_type_holds_up_no_other_queue(situation: redis.Redis, acting: Acting) -> None:
    situation.set("broken:heartbeats", "odd")
    fill(situation, b"broken:processing:w", [job("b", attempts=0)])

    outcome = acting().reap_stale(None, act_id())

    assert (outcome.moved_count, outcome.left_count) == (7, 1)
    assert situation.llen(MAIL.pending) == 6
    assert situation.llen(REPORTS.pending) == 1
    assert situation.llen("broken:processing:w") == 1

    with pytest.raises(WrongKeyType):
        acting().reap_stale(b"broken", act_id())


def test_all_queues_are_meant_when_none_is_named(situation: redis.Redis, acting: Acting) -> None:
    outcome = acting().reap_stale(None, act_id())

    assert outcome.queue is None
    assert {(receipt.queue, receipt.worker) for receipt in outcome.receipts} == {
        (b"mail", b"stale1"),
        (b"mail", b"stale2"),
        (b"mail", b"orphan"),
        (b"reports", b"stale3"),
    }
    assert ids(situation.lrange(REPORTS.pending, 0, -1)) == ["stale3-0"]


def test_a_worker_that_came_back_keeps_everything_and_the_others_are_reaped(
    situation: redis.Redis, acting: Acting
) -> None:
    operator = acting()
    assert operator.reap_stale(b"reports", act_id()).moved_count == 1
    situation.hset(MAIL.heartbeats, "stale1", situation.time()[0])

    outcome = operator.reap_stale(b"mail", act_id())

    assert outcome.moved_count == 3
    assert situation.llen(MAIL.processing(b"stale1")) == 3


def test_a_second_click_moves_nothing(situation: redis.Redis, acting: Acting) -> None:
    act = act_id()
    acting("ann").reap_stale(b"mail", act)
    before = everything(situation)

    outcome = acting("bob").reap_stale(b"mail", act)

    assert everything(situation) == before
    assert outcome.moved_count == 0


def test_a_second_click_is_answered_with_the_first_act_for_a_worker_that_is_stale_again(
    situation: redis.Redis, acting: Acting
) -> None:
    act = act_id()
    acting("ann").reap_stale(b"reports", act)
    worker(situation, REPORTS, "stale3", 600)
    before = everything(situation)

    outcome = acting("bob").reap_stale(b"reports", act)

    assert everything(situation) == before
    assert (outcome.moved_count, outcome.repeated_count) == (0, 1)
    assert outcome.repeated is not None
    assert outcome.repeated.by == "ann"


def test_more_workers_than_a_page_shows_are_all_reaped(redis_client: redis.Redis, acting: Acting) -> None:
    for number in range(130):
        worker(redis_client, MAIL, f"w{number}", 600)

    outcome = acting().reap_stale(b"mail", act_id())

    assert (len(outcome.receipts), outcome.moved_count) == (130, 130)
    assert not redis_client.exists(MAIL.heartbeats)


def test_queues_with_an_ambiguous_name_are_passed_over(situation: redis.Redis, acting: Acting) -> None:
    odd = QueueKeys.found(b"x:dead")
    situation.lpush(odd.processing(b"w"), job("held"))
    situation.lpush(odd.pending, job("waits"))

    outcome = acting().reap_stale(None, act_id())

    assert b"x:dead" not in {receipt.queue for receipt in outcome.receipts}
    assert situation.llen(odd.processing(b"w")) == 1
    with pytest.raises(Refused) as refusal:
        acting().reap_stale(b"x:dead", act_id())
    assert refusal.value.status == 409


def test_where_nothing_is_stale_nothing_moves(redis_client: redis.Redis, acting: Acting) -> None:
    worker(redis_client, MAIL, "alive", 0)
    before = everything(redis_client)

    outcome = acting().reap_stale(None, act_id())

    assert (outcome.moved_count, outcome.receipts) == (0, ())
    assert everything(redis_client) == before
