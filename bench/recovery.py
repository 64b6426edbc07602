"""How long the queue takes to go on after a death, on real processes.

Owns: three deaths (a child under a supervisor, a lone worker, the server) and the clock from the death to the
moment at which the work goes on. Refuses: to prove that nothing was lost; the tests do.
"""

from __future__ import annotations

import os
import signal
import time

import redis

from bench.figures import Figure, middle
from tests.chaos.outage import Scene
from tests.queue.running import (
    POLICY,
    Q,
    holder_of,
    janitor,
    pending,
    pid_of,
    push,
    supervisor,
    wait_for_holder,
    worker,
)
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

CHILD_ROUNDS, LONE_ROUNDS = 5, 3
CHILD_GOAL_SECONDS = 1.0
SCAN_SECONDS = 1.2
"""The janitor's longest pause between two looks."""
LONE_GOAL_SECONDS = POLICY.stale_after_seconds + 2 * SCAN_SECONDS
OUTAGE_SECONDS, OUTAGE_GOAL_SECONDS = 10.0, 5.0
PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 0.002


def measure(server: ValkeyServer) -> list[Figure]:
    """Medians and worst rounds of each death; about a minute."""
    with server.client() as client:
        two, one = ([child(server, client, count) for _ in range(CHILD_ROUNDS)] for count in (2, 1))
        lone = [lone_worker(server, client) for _ in range(LONE_ROUNDS)]
        client.flushall()
    passed = outage(server)
    return [
        Figure("child killed, job runs again in its sibling, median", middle(two), "s"),
        Figure("the same, worst of five", max(two), "s", CHILD_GOAL_SECONDS, "low"),
        Figure("only child killed, job runs again in its successor, worst of five", max(one), "s",
               CHILD_GOAL_SECONDS, "low"),
        Figure("lone worker killed at its beat, job back, threshold 3 s, median", middle(lone), "s"),
        Figure("the same, worst of three", max(lone), "s", LONE_GOAL_SECONDS, "low"),
        *(
            Figure(f"server away for 10 s, {loop} going on after its answer", seconds, "s",
                   OUTAGE_GOAL_SECONDS, "low")
            for loop, seconds in sorted(passed.items())
        ),
    ]  # fmt: skip


def child(server: ValkeyServer, client: redis.Redis, processes: int) -> float:
    """Seconds from the SIGKILL of a child to the beginning of its job's second run."""
    client.flushall()
    with supervisor(server.url, processes=processes):
        push(client, "warm")
        wait_until(lambda: client.llen("ran") == 1, PATIENCE_SECONDS, "the children work")
        push(client, "a", sleep=5)
        wait_until(lambda: client.llen("began") == 2, PATIENCE_SECONDS, "the job runs", LOOK_SECONDS)
        os.kill(pid_of(holder_of(client, "a") or b""), signal.SIGKILL)
        killed_at = time.monotonic()
        wait_until(lambda: client.llen("began") == 3, PATIENCE_SECONDS, "it runs again", LOOK_SECONDS)
        return time.monotonic() - killed_at


def lone_worker(server: ValkeyServer, client: redis.Redis) -> float:
    """Seconds from the last beat of a lone worker, which is killed then, until its job is pending again."""
    client.flushall()
    push(client, "a", sleep=60)
    with janitor(server.url, "q"), worker(server.url) as lone:
        name = wait_for_holder(client, "a", PATIENCE_SECONDS)
        wait_until(lambda: client.hexists(Q.watch, name), PATIENCE_SECONDS, "the janitor watches it")
        before = client.hget(Q.heartbeats, name)
        wait_until(
            lambda: client.hget(Q.heartbeats, name) != before, PATIENCE_SECONDS, "it beats", LOOK_SECONDS
        )
        beat_at = time.monotonic()
        lone.kill()
        wait_until(lambda: pending(client), PATIENCE_SECONDS, "the job is back", LOOK_SECONDS)
        return time.monotonic() - beat_at


def outage(server: ValkeyServer) -> dict[str, float]:
    """Seconds from the answer of a server that was killed ten seconds ago until each kind of loop goes on."""
    with Scene("valkey", server) as scene:
        scene.occupy("busy", 2.0)
        gone_at = time.monotonic()
        scene.go_away()
        wait_until(lambda: time.monotonic() - gone_at >= OUTAGE_SECONDS, PATIENCE_SECONDS, "it is away")
        return scene.come_back("job", PATIENCE_SECONDS)
