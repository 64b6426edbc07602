"""One worker process with jobs that do nothing, beside the plainest loop.

Owns: the rounds, in turns, and the clock: the rate is taken while pending drains, so that neither side pays
for its start.
"""

from __future__ import annotations

import json
import time

import redis

from bench.figures import Figure, middle
from dashboard.queue.keys import QueueKeys
from tests.support.processes import PythonProcess
from tests.support.server import ValkeyServer

ROUNDS = 9
BATCHES = (1, 10)
JOBS = {"lesson": 4_000, 1: 8_000, 10: 30_000}
CHUNK = 1000
LOOK_SECONDS = 0.02
PATIENCE_SECONDS = 90.0
KEYS = QueueKeys("noop")


def measure(server: ValkeyServer) -> list[Figure]:
    """Nine rounds of the loop and of each batch size in turns; medians."""
    rates: dict[str | int, list[float]] = {"lesson": [], **{batch: [] for batch in BATCHES}}
    with server.client() as client:
        for _ in range(ROUNDS):
            rates["lesson"].append(lesson(server, client))
            for batch in BATCHES:
                rates[batch].append(ours(server, client, batch))
    plain = middle(rates["lesson"])
    one, ten = (middle(rates[batch]) for batch in BATCHES)
    return [
        Figure("plainest loop (BLMOVE, HSET, LREM)", plain, "jobs/s"),
        Figure("one child, batch 1", one, "jobs/s"),
        Figure("one child, batch 10", ten, "jobs/s"),
        Figure("batch 1 beside the plainest loop", one / plain, "×", 1.5),
        Figure("batch 10 beside the plainest loop", ten / plain, "×", 6.0),
    ]


def lesson(server: ValkeyServer, client: redis.Redis) -> float:
    """Jobs a second of the plainest loop."""
    fill(client, JOBS["lesson"])
    with PythonProcess("-m", "bench.lesson", str(server.port), "noop", "w1") as process:
        return drained(client, JOBS["lesson"], process)


def ours(server: ValkeyServer, client: redis.Redis, batch: int) -> float:
    """Jobs a second of a supervisor with one child."""
    fill(client, JOBS[batch])
    worker = ("-m", "dashboard.cli", "worker", "noop", "bench.handlers:nothing", "--batch", str(batch))
    with PythonProcess(*worker, env={"WATCHKEEPER_REDIS_URL": server.url}) as process:
        return drained(client, JOBS[batch], process)


def fill(client: redis.Redis, count: int) -> None:
    """Empty the server and fill pending with small jobs."""
    client.flushall()
    for start in range(0, count, CHUNK):
        numbers = range(start, start + CHUNK)
        client.lpush(
            KEYS.pending, *(json.dumps({"id": n, "payload": {"n": n}, "attempts": 0}) for n in numbers)
        )


def drained(client: redis.Redis, count: int, process: PythonProcess) -> float:
    """Jobs a second between the first tenth and the last look that still saw jobs."""
    began: tuple[float, int] | None = None
    last = (0.0, count)
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < give_up_at:
        assert process.is_running(), f"the worker ended:\n{process.output()}"
        seen = (time.perf_counter(), client.llen(KEYS.pending))
        if seen[1] == 0:
            break
        if began is None and seen[1] <= count * 0.9:
            began = seen
        last = seen
        time.sleep(LOOK_SECONDS)
    assert began is not None, f"nothing was worked off:\n{process.output()}"
    assert last[0] > began[0], f"drained between two looks:\n{process.output()}"
    return (began[1] - last[1]) / (last[0] - began[0])
