"""Children of two queues are killed at random: every job is done, and nothing is stranded in either."""

from __future__ import annotations

import os
import random
import signal
import time

from tests.queue.running import Client, held, pid_of, push, supervisor, workers
from tests.support.processes import wait_until

QUEUES = ["high", "low"]
JOBS = 600
KILLS = 15


def test_two_queues_lose_nothing_while_children_are_killed_in_both(
    redis_url: str, redis_client: Client
) -> None:
    for name in QUEUES:
        redis_client.hset(f"{name}:policy", "max_attempts", "1000")
        push(redis_client, *(f"{name}-{n}" for n in range(JOBS)), queue=name)
    handler = "tests.queue.handlers:work_10_ms"
    with supervisor(
        redis_url, handler=handler, queue=QUEUES, weights=[2, 1], processes=2, batch=5
    ) as process:
        for kill in range(KILLS):
            at = time.monotonic() + random.uniform(0.05, 0.4)
            victims = wait_until(
                lambda at=at: time.monotonic() > at and workers(redis_client, "high"),  # type: ignore[misc]
                20, f"somebody works before kill {kill + 1}",
            )  # fmt: skip
            try:
                os.kill(pid_of(random.choice(sorted(victims))), signal.SIGKILL)
            except ProcessLookupError:
                # It has gone since, and its heartbeat is about to.
                continue
        wait_until(lambda: redis_client.scard("done") == 2 * JOBS, 90, "every job is done")
        wait_until(lambda: not any(held(redis_client, name) for name in QUEUES), 20, "nothing is held")
        process.signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert redis_client.smembers("done") == {f"{name}-{n}".encode() for name in QUEUES for n in range(JOBS)}
    for name in QUEUES:
        assert not redis_client.exists(
            f"{name}:pending", f"{name}:delayed", f"{name}:dead", f"{name}:heartbeats"
        )
        assert int(redis_client.hget(f"{name}:stats", "acked")) >= JOBS
