"""A worker that lives, came back or left between the look and the reap keeps what is its own, and no more."""

import pytest
import redis

from dashboard.queue.answers import Code, Reaped
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.lua.test_requeue_evidence import DAEMON, STALE_AFTER, hold, reap
from tests.support.standing_queue import BEATING, NOW, SILENT, W1, W2, furnish, job


@pytest.mark.parametrize("why", ["stale", "operator"])
def test_S16_a_worker_that_beat_after_the_look_keeps_its_jobs(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, why: str
) -> None:
    furnish(client)
    client.hset(q.heartbeats, W1, BEATING)
    before = look()
    for seen in (SILENT, BEATING, None):
        answer = scripts.requeue(q, W1, why=why, evidence=seen, defaults=Policy(STALE_AFTER), act=DAEMON)
        assert answer == Reaped(Code.ALIVE, left_count=2)
    assert look() == before


@pytest.mark.parametrize("why", ["stale", "operator"])
def test_S16_a_worker_whose_clock_is_an_hour_behind_and_that_beat_after_the_look_keeps_its_jobs(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, why: str
) -> None:
    furnish(client)
    client.hset(q.heartbeats, W1, b"%d" % (int(SILENT) + 5))
    before = look()
    answer = scripts.requeue(
        q, W1, why=why, evidence=SILENT, defaults=Policy(STALE_AFTER), act=DAEMON, watched_since=NOW - 3600
    )
    assert answer == Reaped(Code.ALIVE, left_count=2)
    assert look() == before


@pytest.mark.parametrize("why", ["stale", "operator"])
def test_S16_a_worker_that_came_back_to_an_orphaned_list_keeps_it(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, why: str
) -> None:
    furnish(client)
    before = look()
    assert reap(scripts, q, None, why) is Code.ALIVE
    assert look() == before


@pytest.mark.parametrize("why", ["stale", "operator"])
def test_S16_a_worker_that_retired_after_the_look_is_gone(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, why: str
) -> None:
    furnish(client)
    client.hdel(q.heartbeats, W1)
    before = look()
    assert reap(scripts, q, SILENT, why) is Code.GONE
    assert look() == before


@pytest.mark.parametrize("why", ["stale", "operator"])
def test_S16_a_worker_that_settled_or_claimed_after_the_look_keeps_its_jobs_although_it_did_not_beat(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, why: str
) -> None:
    furnish(client)
    client.hset(q.watch, W1, b"%.3f %.3f %s" % (NOW - 3600, NOW - 1, SILENT))
    scripts.settle(q, W1, 1, [job("a1")], 1)
    before = look()
    assert reap(scripts, q, SILENT, why) is Code.ALIVE
    assert look() == before


def test_S16_what_a_worker_settled_before_the_look_saves_it_from_the_daemon_no_longer(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    furnish(client)
    client.hset(q.workers, b"s:" + W1, b"7 %.3f" % (NOW - 1))
    client.hset(q.watch, W1, b"%.3f %.3f %s" % (NOW - 3600, NOW - 0.5, SILENT))
    assert reap(scripts, q, SILENT, "operator") is Code.ALIVE
    assert reap(scripts, q, SILENT, "stale") is Code.REAPED


def test_S14_the_reaped_jobs_old_bytes_are_worth_nothing_to_whoever_held_them(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    hold(client, q, SILENT)
    assert reap(scripts, q, SILENT) is Code.REAPED
    for heir in (W2, W1):  # also when the job comes back under the very same name
        assert scripts.claim(q, heir, 1).raws == [job("a", 1)]
        before = look()
        assert scripts.settle(q, W1, 1, [job("a")], 0).lost == [0]
        assert scripts.fail(q, W1, job("a"), job("a", 1), delay_ms=0, error="").code is Code.LOST
        assert scripts.release(q, W1, [job("a")]).lost == [0]
        after = look()
        assert {name for name in after if after[name] != before.get(name)} <= {"workers"}
        scripts.release(q, heir, [job("a", 1)])
