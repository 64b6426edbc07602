"""Redis is killed for 1 s, 10 s and ten thresholds under AOF always: everything goes on, nobody is reaped."""

from __future__ import annotations

import time
from contextlib import ExitStack

from tests.chaos.outage import Scene
from tests.queue.running import POLICY, Q, held, ran
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer

T = POLICY.stale_after_seconds
OUTAGES = (1.0, 10.0, 10 * T)
KINDS: tuple[Kind, ...] = ("valkey", "redis")
RESUMED_SECONDS = 5.0
BUSY_SECONDS = 2.5


def test_S40_after_outages_of_1_s_10_s_and_10_thresholds_loops_resume_and_no_live_worker_is_reaped(
    valkey_server: ValkeyServer,
) -> None:
    """All lengths side by side, each on both servers; the two of a length come back one after the other."""
    with valkey_server.client() as runs, ExitStack() as stack:
        runs.flushall()
        scenes = {
            (kind, away): stack.enter_context(Scene(kind, valkey_server))
            for kind in KINDS
            for away in OUTAGES
        }
        expected: list[str] = []
        for (kind, away), scene in scenes.items():
            expected += scene.occupy(f"{kind}-{away:g}", BUSY_SECONDS)
        gone_at = time.monotonic()
        for scene in scenes.values():
            scene.go_away()
        for away in OUTAGES:
            wait_until(lambda away=away: time.monotonic() - gone_at >= away, away + 1, "it is away")  # type: ignore[misc]
            for kind in KINDS:
                name = f"{kind}-{away:g}"
                passed = scenes[kind, away].come_back(name, 4 * RESUMED_SECONDS)
                print(name, {loop: round(seconds, 2) for loop, seconds in passed.items()})
                assert max(passed.values()) <= RESUMED_SECONDS, (name, passed)
                expected += [f"{name}-due", *(f"{name}-after-{number}" for number in range(6))]
        for scene in scenes.values():
            scene.wait_for_sweeps(T + 1)
            wait_until(lambda scene=scene: not held(scene.client), 20, "nothing is held")  # type: ignore[misc]
            told = [fields[b"event"] for _, fields in scene.client.xrange(Q.events)]
            assert b"reaped" not in told
            assert b"forgotten" not in told
            assert not scene.client.exists(Q.pending, Q.delayed, Q.dead)
            assert len(scene.client.hkeys(Q.heartbeats)) == 2
            assert all(process.is_running() for process in scene.processes)
        assert set(ran(runs)) == set(expected)
