"""What the jobs of a storm do, and what they are: made here, run here.

Owns: the orders that a payload may hold, the handler that follows them and notes its start and its end.
Refuses: Redis; what is noted must not depend on what is tested.
"""

from __future__ import annotations

import os
import random
import signal
import time
from functools import cache
from typing import Any

from dashboard.queue.job import Job, digest
from tests.chaos.history import JOURNAL, Journal

POISON_ATTEMPTS = 99
"""More than any limit: such a job ends its worker each time, until it is dead."""


@cache
def journal() -> Journal:
    """The journal of this process, and of those that it forks."""
    return Journal(os.environ[JOURNAL])


def perform(job: Job) -> None:
    """Follow the payload: work for `ms`, then raise or end the process while attempts are under a number."""
    assert isinstance(job.payload, dict)
    order: dict[str, Any] = job.payload
    journal().write("start", job.id, job.attempts, digest(job.raw))
    time.sleep(order["ms"] / 1000)
    if job.attempts < order.get("raise", 0):
        journal().write("end", job.id, job.attempts, "raised")
        raise ValueError("as the payload says")
    if job.attempts < order.get("kill", 0):
        end_myself("in-the-handler")
    journal().write("end", job.id, job.attempts, "done")


def end_myself(point: str) -> None:
    """SIGKILL this process, and say so before."""
    journal().write("kill", point)
    os.kill(os.getpid(), signal.SIGKILL)
    # The signal is pending for this thread at the latest when the call returns.
    time.sleep(60)


def order(chance: random.Random, longest_ms: int, raising: float) -> dict[str, Any]:
    """A payload: plain work, a share `raising` that fails once, some that kills once, rarely a poison."""
    payload: dict[str, Any] = {"ms": chance.randrange(longest_ms)}
    dice = chance.random()
    if dice < 0.002:
        payload["kill"] = POISON_ATTEMPTS
    elif dice < 0.01:
        payload["kill"] = 1
    elif dice < 0.01 + raising:
        payload["raise"] = 1
    return payload
