"""The loop of a worker of several queues in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from dashboard.queue.assignment import Assignment
from dashboard.queue.connections import Connections
from dashboard.queue.job import Job
from dashboard.queue.job_loop import JobLoop
from dashboard.queue.slot import Slot
from tests.queue.loops import W
from tests.queue.running import POLICY, Client, held, push

NAMES = ("high", "low")


def beat(slot: Slot, listed_count: int = 0) -> None:
    """Note a beat that lasts for the whole test."""
    slot.write_beat(time.monotonic() + 1000, time.time() + 1000, listed_count)


@contextmanager
def running_lanes(
    url: str,
    handler: Callable[[Job], object],
    *,
    queues: Sequence[str] = NAMES,
    weights: Sequence[int] | None = None,
    batch: int = 1,
    beaten: Sequence[str] | None = None,
) -> Iterator[dict[str, Slot]]:
    """A loop over `queues`, beaten for in all or in `beaten` of them; stopped and joined at the end."""
    slots = dict(zip(queues, Slot.row(len(queues)), strict=True))
    for name in queues if beaten is None else beaten:
        beat(slots[name])
    loop = JobLoop(
        Connections.from_url(url), Assignment.of(queues, weights), W, handler, list(slots.values()),
        batch=batch, defaults=POLICY, block_seconds=5.0, grace_seconds=2.0,
    )  # fmt: skip
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        yield slots
    finally:
        loop.stop()
        thread.join(20)
        assert not thread.is_alive()


class Stream:
    """A handler that keeps some queues full for as long as it is told to: what it runs, it pushes anew."""

    def __init__(self, client: Client, *endless: str, seconds: float = 0.0) -> None:
        self.ran: list[str] = []
        self._client, self._endless, self._seconds = client, endless, seconds
        self.is_open = True
        for name in endless:
            push(client, *(f"{name}-{n}" for n in range(200)), queue=name)

    def __call__(self, job: Job) -> None:
        name = job.queue.decode()
        self.ran.append(name)
        time.sleep(self._seconds)
        if self.is_open and name in self._endless:
            self._client.lpush(f"{name}:pending", job.raw)


def is_empty(client: Client, *queues: str) -> bool:
    """Nothing waits and nothing is held in the queues."""
    return not any(client.llen(f"{name}:pending") or held(client, name) for name in queues)
