"""The loop itself in a thread of the test, and a handler that remembers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dashboard.queue.assignment import Assignment
from dashboard.queue.connections import Connections
from dashboard.queue.job import Job
from dashboard.queue.job_loop import JobLoop
from dashboard.queue.policy import Policy
from dashboard.queue.slot import Slot
from tests.queue.running import POLICY, Q

W = b"w1"


def beaten_slot() -> Slot:
    """The slot of a worker that was beaten for once and for all."""
    slot = Slot()
    slot.write_beat(time.monotonic() + 1000, time.time() + 1000, 0)
    return slot


@contextmanager
def running(
    url: str,
    handler: Callable[[Job], object],
    *,
    batch: int = 1,
    policy: Policy = POLICY,
    beaten: bool = True,
) -> Iterator[Slot]:
    """A loop in a thread, beaten for once and for all; stopped and joined at the end."""
    slot = beaten_slot() if beaten else Slot()
    loop = JobLoop(
        Connections.from_url(url), Assignment((Q,)), W, handler, [slot], batch=batch, defaults=policy,
        block_seconds=0.2,
    )  # fmt: skip
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        yield slot
    finally:
        loop.stop()
        thread.join(20)
        assert not thread.is_alive()


class Log:
    """A handler that remembers what it was given, and raises for the ids it is told to."""

    def __init__(self, *failing: str) -> None:
        self.jobs: list[Job] = []
        self.failing = failing

    def __call__(self, job: Job) -> None:
        self.jobs.append(job)
        if job.id in self.failing:
            raise ValueError("this one fails")

    @property
    def ids(self) -> list[object]:
        return [job.id for job in self.jobs]
