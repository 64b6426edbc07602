"""The lesson's crash test: 2,000 jobs of 10 ms, four workers, five SIGKILLs with replacements."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

from tests.queue.running import Client, Q, held, janitor, program, push, worker
from tests.support.processes import PythonProcess, wait_until

JOBS = 2000
KILLS = 5
HANDLER = "tests.queue.handlers:work_10_ms"


def run_and_kill(client: Client, start: Callable[[], PythonProcess], stack: ExitStack) -> list[PythonProcess]:
    """Fill the queue, start four workers, and replace one by SIGKILL every half second; return the living."""
    push(client, *(str(n) for n in range(JOBS)))
    processes = [stack.enter_context(start()) for _ in range(4)]
    wait_until(lambda: client.scard("done") >= 20, 20, "the workers work")
    for kill in range(KILLS):
        done_before = client.scard("done")
        at = time.monotonic() + 0.5
        wait_until(
            lambda at=at, done=done_before: time.monotonic() > at and client.scard("done") > done + 50,  # type: ignore[misc]
            20,
            f"half a second of work before kill {kill + 1}",
        )
        processes.pop(0).kill()
        processes.append(stack.enter_context(start()))
    return processes


def test_the_crash_test_loses_nothing_with_our_worker(redis_url: str, redis_client: Client) -> None:
    with ExitStack() as stack:
        stack.enter_context(janitor(redis_url, "q"))
        run_and_kill(redis_client, lambda: worker(redis_url, handler=HANDLER), stack)
        wait_until(lambda: redis_client.scard("done") == JOBS, 60, "every job is done")
        wait_until(lambda: not held(redis_client) and not redis_client.llen(Q.pending), 20, "nothing is held")
    assert redis_client.smembers("done") == {b"%d" % n for n in range(JOBS)}
    assert not redis_client.exists(Q.pending, Q.dead, Q.delayed)
    assert 0 <= int(redis_client.hget(Q.stats, "reaped") or 0) <= KILLS


def test_the_crash_test_loses_about_a_job_a_kill_with_the_naive_design(
    redis_url: str, redis_client: Client
) -> None:
    with ExitStack() as stack:
        living = run_and_kill(
            redis_client, lambda: program("naive", redis_url, queue="q", handler=HANDLER), stack
        )
        for process in living:
            process.wait(60)
    lost = JOBS - redis_client.scard("done")
    assert 1 <= lost <= KILLS, "each kill takes at most the one job that existed nowhere else"
    assert not redis_client.exists(Q.pending)
