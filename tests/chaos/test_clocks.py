"""Clocks an hour off and heartbeats that tell nothing: no false reap, and nothing stranded for ever."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from dashboard.inspector import Inspector
from dashboard.queue.liveness import State
from tests.queue.running import (
    POLICY,
    QUICK,
    Client,
    Q,
    attempts,
    held,
    ids,
    pending,
    program,
    push,
    ran,
    worker,
)
from tests.queue.test_reaper import hold, now_of
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

HOUR = 3600.0
T = POLICY.stale_after_seconds
CLOCKS: dict[str, Callable[[float], bytes]] = {
    "ahead": lambda now: b"%d" % (now + HOUR),
    "behind": lambda now: b"%d" % (now - HOUR),
    "milliseconds": lambda now: b"%d" % (now * 1000),
    "garbage": lambda now: b"alive, thank you: %d" % (now * 10),
    "iso": lambda now: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)).encode(),
    "nan": lambda now: b"nan" if int(now) % 2 else b"-inf",
}
"""What a worker's own program writes as its heartbeat."""
LIVING, DEAD = ({f"{fate}-{kind}" for kind in CLOCKS} for fate in ("lives", "dies"))


def all_hold_a_job(client: Client) -> None:
    """Two workers of each kind of clock, one of which will stop beating."""
    for name in sorted(LIVING | DEAD):
        hold(client, name.encode(), name)
    beat(client, "lives", "dies")


def beat(client: Client, *fates: str) -> None:
    now = now_of(client)
    beats = {f"{fate}-{kind}": clock(now) for kind, clock in CLOCKS.items() for fate in fates}
    client.hset(Q.heartbeats, mapping=beats)


def beat_on(client: Client, condition: Callable[[], bool], within_seconds: float, what: str) -> None:
    """Let the living beat until the condition holds."""

    def look() -> bool:
        beat(client, "lives")
        return condition()

    wait_until(look, within_seconds, what, every_seconds=0.2)


def test_S32_whoevers_clock_is_an_hour_off_the_living_keep_their_jobs_and_the_dead_do_not(
    each_server: ValkeyServer, each_client: Client
) -> None:
    url, began = each_server.url, time.monotonic()
    push(each_client, "ours-1", "ours-2", queue="ours", sleep=2 * T)
    settings: dict[str, Any] = {"queues": ["q", "ours"], "policy": QUICK}
    with (
        worker(url, clock_hours=-1, queue="ours") as behind,
        worker(url, clock_hours=1, queue="ours") as ahead,
    ):
        wait_until(lambda: len(held(each_client, "ours")) == 2, 20, "our own workers hold their jobs")
        all_hold_a_job(each_client)
        with (
            program("janitor", url, clock_hours=-1, **settings),
            program("janitor", url, clock_hours=1, **settings),
        ):
            beat_on(each_client, lambda: set(ids(pending(each_client))) == DEAD, 6 * T, "the dead are reaped")
            assert time.monotonic() - began >= T
            ends_at = time.monotonic() + T + 1
            beat_on(each_client, lambda: time.monotonic() > ends_at, 3 * T, "the living went on")
            assert {name.decode() for name in held(each_client)} == LIVING
            assert sorted(ids(pending(each_client))) == sorted(DEAD)
            assert set(attempts(pending(each_client))) == {1}
            wait_until(lambda: len(ran(each_client)) == 2, 20, "our own jobs of two thresholds are done")
            for own in (behind, ahead):
                own.signal(signal.SIGTERM)
                assert own.wait(20) == 0
    assert sorted(ran(each_client)) == ["ours-1", "ours-2"]
    assert not each_client.exists("ours:pending", "ours:dead", "ours:delayed")
    assert {fields[b"event"] for _, fields in each_client.xrange("ours:events")} == {b"stopped"}


@pytest.mark.parametrize("clock_hours", [-1.0, 1.0])
def test_S32_a_console_whose_clock_is_an_hour_off_takes_no_living_worker_for_stale_and_every_dead_one(
    each_client: Client, monkeypatch: pytest.MonkeyPatch, clock_hours: float
) -> None:
    true_time = time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + clock_hours * HOUR)
    each_client.hset(Q.policy, mapping={"managed": "1", **QUICK})
    all_hold_a_job(each_client)
    console = Inspector(each_client)
    seen: set[str] = set()

    def dead_are_stale() -> bool:
        rows = console.workers(Q.queue).rows
        stale = {row.name.decode() for row in rows if row.state is State.STALE}
        seen.update(stale)
        return stale == DEAD

    beat_on(each_client, dead_are_stale, 6 * T, "the dead are shown as stale")
    assert seen == DEAD
    rows = {row.name.decode(): row for row in console.workers(Q.queue).rows}
    assert {name for name, row in rows.items() if row.can_reap} == DEAD
    assert {rows["lives-ahead"].flags, rows["lives-behind"].flags} == {
        frozenset({"skew"}), frozenset({"slow-clock"}),
    }  # fmt: skip
    console.close()
