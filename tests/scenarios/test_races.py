"""S14, S16, S24, S35, S66: two who act on one job at the same time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Reaped
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.queue.running import Client
from tests.support.keyspace import changed, snapshot
from tests.support.standing_queue import NOW, QUEUE, SILENT, W1, W2, address, job

A, B = job("a"), job("b")
A1 = job("a", 1)


def reap(scripts: Scripts) -> Reaped:
    """Reap W1 on the evidence of its old heartbeat, long watched."""
    return scripts.requeue(
        QUEUE, W1, why="stale", evidence=SILENT, defaults=Policy(), act=Act("janitor"),
        watched_since=NOW - 3600,
    )  # fmt: skip


@pytest.fixture
def frozen(client: Client) -> Client:
    """W1 holds a and is silent for an hour."""
    client.rpush(QUEUE.processing(W1), A)
    client.hset(QUEUE.heartbeats, W1, SILENT)
    return client


@pytest.mark.parametrize("heir", [W2, W1], ids=["another worker", "one of the same name"])
@pytest.mark.parametrize("deed", ["acknowledges", "fails", "releases"])
def test_S14_a_zombie_is_answered_lost_and_changes_no_job(
    frozen: Client, scripts: Scripts, heir: bytes, deed: str
) -> None:
    assert reap(scripts).moved_count == 1
    assert scripts.claim(QUEUE, heir, 1).raws == [A1]
    before = snapshot(frozen, QUEUE)
    if deed == "acknowledges":
        assert scripts.settle(QUEUE, W1, 1, [A], 0).lost == [0]
    elif deed == "fails":
        assert scripts.fail(QUEUE, W1, A, A1, delay_ms=1, error="no").code is Code.LOST
    else:
        assert scripts.release(QUEUE, W1, [A]).lost == [0]
    after = snapshot(frozen, QUEUE)
    for own in ("workers", "stats"):
        before.pop(own, None), after.pop(own, None)
    assert after == before


SIGNS: dict[str, Callable[[Scripts], object]] = {
    "beats": lambda scripts: scripts.beat(QUEUE, W1),
    "acknowledges": lambda scripts: scripts.settle(QUEUE, W1, 1, [A], 0),
    "settles and claims": lambda scripts: scripts.settle(QUEUE, W1, 1, [A], 1),
}


@pytest.mark.parametrize("sign", SIGNS)
def test_S16_a_sign_of_life_between_the_look_and_the_script_keeps_everything(
    frozen: Client, scripts: Scripts, sign: str
) -> None:
    frozen.lpush(QUEUE.pending, B)
    SIGNS[sign](scripts)
    before = snapshot(frozen, QUEUE)
    assert reap(scripts).code is Code.ALIVE
    assert snapshot(frozen, QUEUE) == before


def test_S24_a_failure_that_is_told_twice_is_delayed_once(client: Client, scripts: Scripts) -> None:
    client.rpush(QUEUE.processing(W1), A)
    assert scripts.fail(QUEUE, W1, A, A1, delay_ms=5000, error="no").code is Code.DELAYED
    before = snapshot(client, QUEUE)
    assert scripts.fail(QUEUE, W1, A, A1, delay_ms=9000, error="no").code is Code.LOST
    assert snapshot(client, QUEUE) == before
    assert client.zrange(QUEUE.delayed, 0, -1, withscores=True) == [(A1, NOW + 5)]


def test_S35_two_operators_and_a_double_click_make_one_copy_of_one_of_two_equal_jobs(
    client: Client, scripts: Scripts
) -> None:
    dead = job("x", 4)
    client.lpush(QUEUE.dead, dead, dead)
    shown = address(dead, "dead", 0)
    assert scripts.revive_one(QUEUE, shown, Act("ann", "act-1")).code is Code.RETRIED
    before = snapshot(client, QUEUE)
    again = scripts.revive_one(QUEUE, shown, Act("bob", "act-1"))
    assert (again.code, again.repeat and again.repeat.by) == (Code.REPEATED, "ann")
    assert snapshot(client, QUEUE) == before
    assert (client.llen(QUEUE.pending), client.llen(QUEUE.dead)) == (1, 1)


def test_S66_equal_jobs_that_fail_at_the_same_instant_stay_two(client: Client, scripts: Scripts) -> None:
    client.rpush(QUEUE.processing(W1), A, A)
    before = snapshot(client, QUEUE)
    for _ in range(2):
        assert scripts.fail(QUEUE, W1, A, A1, delay_ms=5000, error="no").code is Code.DELAYED
    members = client.zrange(QUEUE.delayed, 0, -1)
    assert members == [A1, A1 + b" "]
    after = snapshot(client, QUEUE)
    assert after == changed(
        before,
        {"processing:w1": None, "delayed": [(A1, NOW + 5), (A1 + b" ", NOW + 5)]}
        | {name: after[name] for name in ("stats", "events")},
    )
