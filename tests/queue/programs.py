"""The programs that tests start as real processes: `python -m tests.queue.programs KIND '{"url": …}'`.

With `clock_hours` among the arguments the process lives that far off by its own clock.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import redis

from dashboard.queue.connections import Connections
from dashboard.queue.factory import ServerFactory
from dashboard.queue.handler import load
from dashboard.queue.heartbeat import BeatThread, Heartbeat
from dashboard.queue.janitor import Janitor
from dashboard.queue.keys import QueueKeys
from dashboard.queue.naive import work_naively
from dashboard.queue.policy import Policy
from dashboard.queue.slot import Slot
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.worker import Worker


def supervisor(url: str, queue: str | list[str], handler: str, policy: dict[str, Any], **options: Any) -> int:
    """A supervisor; what it returns is the exit code."""
    return Supervisor(ServerFactory.from_url(url), queue, handler, defaults=Policy(**policy), **options).run()


def worker(url: str, queue: str | list[str], handler: str, policy: dict[str, Any], **options: Any) -> int:
    """An embedded worker; SIGTERM stops it, SIGUSR1 makes it quiet."""
    one = Worker(Connections.from_url(url), queue, load(handler), defaults=Policy(**policy), **options)
    signal.signal(signal.SIGTERM, lambda *_: one.stop())
    signal.signal(signal.SIGUSR1, lambda *_: one.quiet())
    one.run()
    return 0


def janitor(url: str, queues: list[str], policy: dict[str, Any]) -> int:
    """A janitor, until it is killed."""
    Janitor(
        Connections.from_url(url), queues=[name.encode() for name in queues], defaults=Policy(**policy)
    ).run()
    return 0


def naive(url: str, queue: str, handler: str) -> int:
    """The lesson's first design, until the queue has been empty for a second."""
    work_naively(redis.Redis.from_url(url, protocol=2), queue, load(handler))
    return 0


def crowd(url: str, count: int) -> int:
    """Many who beat, each over a connection of its own, until the process is killed."""
    for number in range(count):
        slot = Slot()
        slot.pulse_at = time.monotonic()
        heartbeat = Heartbeat(QueueKeys("q"), b"%d:%d" % (os.getpid(), number), slot, "embedded")
        BeatThread(
            heartbeat, Connections.from_url(url), Policy(stale_after_seconds=600.0, beat_seconds=5.0)
        ).start()
    signal.pause()
    return 0


PROGRAMS: dict[str, Callable[..., int]] = {
    "supervisor": supervisor,
    "worker": worker,
    "janitor": janitor,
    "naive": naive,
    "crowd": crowd,
}


def set_clock(hours: float) -> None:
    """Put this process's own clock forward or back; the monotonic one goes on as it was."""
    true_time = time.time
    time.time = lambda: true_time() + hours * 3600


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(message)s")
    arguments = json.loads(sys.argv[2])
    set_clock(arguments.pop("clock_hours", 0.0))
    sys.exit(PROGRAMS[sys.argv[1]](**arguments))
