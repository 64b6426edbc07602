"""Handlers for tests: each job says in its payload what it does, and notes in Redis that it ran.

The server is the one of the variable RUNS_URL. `ran` is a list of ids, `began` as well, before the work.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from functools import cache
from typing import Any

import redis

from dashboard.queue.factory import ServerFactory
from dashboard.queue.job import Job
from dashboard.queue.once import once


@cache
def runs() -> redis.Redis:
    """The client of this process: made on first use, after the fork."""
    return redis.Redis.from_url(os.environ["RUNS_URL"], protocol=2)


def perform(job: Job) -> None:
    """Do what the payload says, then note the id as run."""
    order: dict[str, Any] = job.payload if isinstance(job.payload, dict) else {}
    if "fork" in order and is_forked(order["fork"]):
        return
    runs().rpush("began", str(job.id))
    if "terminate" in order:
        terminate_a_fork()
    if "close" in order:
        runs().close()
        os.closerange(3, 256)
    time.sleep(order.get("sleep", 0))
    if "swallow" in order:
        go_on_for(order["swallow"])
    if "raise" in order:
        raise ValueError(order["raise"])
    if "exit" in order:
        os._exit(order["exit"])
    if "signal" in order:
        os.kill(os.getpid(), getattr(signal, order["signal"]))
    if "hold" in order:
        # One call into C that keeps the interpreter's lock: 20 million additions take about 0.3 s.
        ends_at = time.monotonic() + order["hold"]
        while time.monotonic() < ends_at:
            sum(range(20_000_000))
    if "never_let_go" in order:
        # The same in one call, of minutes: no signal handler runs meanwhile.
        sum(range(20_000_000_000))
    runs().rpush("ran", str(job.id))


def go_on_for(seconds: float) -> None:
    """Sleep on, whatever is raised meanwhile."""
    ends_at = time.monotonic() + seconds
    while (left := ends_at - time.monotonic()) > 0:
        try:
            time.sleep(left)
        except BaseException:
            runs().rpush("swallowed", os.getpid())


def terminate_a_fork() -> None:
    """Fork a process that sleeps, end it as one does, and note by which signal it ended."""
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    child.terminate()
    child.join(10)
    runs().rpush("ended", str(child.exitcode))
    child.kill()


def is_forked(ending: str) -> bool:
    """Fork a process that leaves the handler in one of the ways in which one forgets to end it.

    True in that process when it is to return; False in the first one, after the end of the other.
    """
    forked = os.fork()
    if forked:
        _, status = os.waitpid(forked, 0)
        runs().rpush("forked", os.waitstatus_to_exitcode(status))
        return False
    if ending == "exit":
        sys.exit(3)
    if ending == "raise":
        raise ValueError("in the forked process")
    return True


async def perform_async(job: Job) -> None:
    """The same, with an await in it."""
    await asyncio.sleep(0)
    perform(job)


async def sleep_async(job: Job) -> None:
    """Wait in the event loop for as long as the payload says, then note the id as run."""
    await asyncio.sleep((job.payload or {}).get("sleep", 0))
    runs().rpush("ran", str(job.id))


def work_10_ms(job: Job) -> None:
    """The lesson's job: ten milliseconds, then one idempotent side effect."""
    time.sleep(0.01)
    runs().sadd("done", str(job.id))


def die_at_once(_: Job) -> None:
    """End the process without a word."""
    os._exit(9)


def never_called(_: Job) -> None:
    """For supervisors whose children are looked at while idle."""


def here(role: str, block_seconds: float = 0) -> redis.Redis:
    """A factory that looks for the server when it is asked: tests import this module without one."""
    return ServerFactory.from_url(os.environ["RUNS_URL"])(role, block_seconds)


@once(here, "q")
def perform_once(job: Job) -> None:
    """The same, guarded."""
    perform(job)


@once(here, "q", seconds=60)
async def perform_once_async(job: Job) -> None:
    """The async one, guarded."""
    await perform_async(job)
