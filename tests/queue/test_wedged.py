"""A loop that hangs outside of a job is no worker any more: beats stop, and what it holds is given back."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from tests.queue.running import (
    POLICY,
    Client,
    Q,
    attempts,
    held,
    janitor,
    push,
    ran,
    supervisor,
    wait_for_holder,
    worker,
    workers,
)
from tests.support.processes import wait_until

HANDLER = "tests.queue.traps:lay"
T = POLICY.stale_after_seconds


def beat_of(client: Client, name: bytes) -> bytes | None:
    value: bytes | None = client.hget(Q.heartbeats, name)
    return value


def wedge(client: Client) -> bytes:
    """Let the one worker hang while it waits for a job; return its name."""
    push(client, "trap", trap=True)
    wait_until(lambda: ran(client) == ["trap"], 15, "the trap is laid")
    wait_until(lambda: not held(client) and blocked(client), 10, "it waits for a job")
    (name,) = workers(client)
    os.kill(int(name.split(b":")[1]), signal.SIGUSR2)
    return name


def blocked(client: Client) -> int:
    return int(client.info("clients")["blocked_clients"])


@pytest.mark.parametrize("start", [supervisor, worker])
def test_a_loop_that_hangs_between_jobs_is_not_beaten_for_after_the_threshold(
    redis_url: str, redis_client: Client, start: Any
) -> None:
    with start(redis_url, handler=HANDLER):
        name = wedge(redis_client)
        hung_at = time.time()
        seen: list[tuple[bytes | None, float]] = [(beat_of(redis_client, name), time.monotonic())]

        def is_silent() -> bool:
            if (beat := beat_of(redis_client, name)) != seen[-1][0]:
                seen.append((beat, time.monotonic()))
            return time.monotonic() - seen[-1][1] > 2.5 * POLICY.beat_seconds

        wait_until(is_silent, T + 12, "its beats stop", every_seconds=0.05)
        # It was beaten for as long as a loop may be silent, and not much longer.
        last = int(seen[-1][0] or 0)
        assert hung_at - 2 < last < hung_at + T + 3 * POLICY.beat_seconds


def test_a_job_that_the_server_hands_to_a_loop_that_hangs_is_reaped_and_run_by_another(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url, handler=HANDLER, block_seconds=60), janitor(redis_url, "q"):
        name = wedge(redis_client)
        # Its claim still waits at the server, which fulfils it.
        push(redis_client, "b")
        assert wait_for_holder(redis_client, "b") == name
        with supervisor(redis_url, handler=HANDLER):
            wait_until(lambda: ran(redis_client) == ["trap", "b"], 3 * T + 20, "another one runs it")
            wait_until(lambda: not held(redis_client), 5, "nothing is held")
            assert name not in workers(redis_client)
    assert attempts(redis_client.lrange(Q.dead, 0, -1)) == []
    (reaped,) = [fields for _, fields in redis_client.xrange(Q.events) if fields[b"event"] == b"reaped"]
    assert (reaped[b"worker"], reaped[b"why"], reaped[b"moved"]) == (name, b"stale", b"1")
