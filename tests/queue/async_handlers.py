"""Async handlers of every form for real workers; they note in which process and event loop they ran."""

from __future__ import annotations

import asyncio
import functools
import os
from typing import Any

from dashboard.queue.job import Job
from tests.queue.handlers import runs

KEPT: set[asyncio.Task[None]] = set()


async def function(job: Job) -> None:
    """Do what the payload says, then note process, loop and id."""
    order: dict[str, Any] = job.payload if isinstance(job.payload, dict) else {}
    runs().rpush("began", str(job.id))
    if "cancel" in order:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
    if "leave" in order:
        KEPT.add(asyncio.create_task(endless()))
    await asyncio.sleep(order.get("sleep", 0))
    if "exit" in order:
        raise SystemExit(3)
    if "group" in order:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())
    runs().rpush("loops", f"{os.getpid()}:{id(asyncio.get_running_loop())}")
    runs().rpush("ran", str(job.id))


async def endless() -> None:
    """What a handler may leave behind; it notes when it is cancelled."""
    try:
        await asyncio.Event().wait()
    finally:
        runs().rpush("ended", os.getpid())


async def fails() -> None:
    """Raise in a task of a group."""
    raise ValueError("in a group")


async def _with_more(_: str, job: Job, *, more: bool) -> None:
    assert more
    await function(job)


class _Object:
    async def __call__(self, job: Job) -> None:
        await function(job)

    async def method(self, job: Job) -> None:
        await function(job)


partial = functools.partial(_with_more, "first", more=True)
instance = _Object()
method = instance.method


def returns_awaitable(job: Job) -> object:
    """A plain function that leaves something to be awaited."""
    return function(job)


@functools.wraps(function)
def decorated(job: Job) -> object:
    """What decorators do that know nothing of async."""
    return function(job)
