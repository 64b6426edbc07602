"""Taking an explicit worker name: only when nobody alive has it, and after its old jobs are given back.

Owns: the wait that tells a dead predecessor from a live twin. Refuses: to take over from a live one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Reaped
from dashboard.queue.errors import WorkerNameTaken, translated
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.watching import WatchBook

LOOK_SECONDS = 0.2


def take_name(
    client: redis.Redis, queue: QueueKeys, worker: bytes, defaults: Policy, is_stopping: Callable[[], bool]
) -> None:
    """Return when the name is free: at once, or after its dead owner's jobs were given back.

    A heartbeat under the name is watched: when it changes, its owner lives and WorkerNameTaken is raised;
    when it stays unchanged for the threshold, its list is requeued. A list without a heartbeat gets one
    first. Returns early once `is_stopping()`. Raises ServerError.
    """
    policy = Policy.read(client, queue, defaults)
    book, scripts = WatchBook(client, queue), Scripts(client)
    name, of = (readable(part) for part in (worker, queue.queue))
    first: bytes | None = None
    while not is_stopping():
        value, watch = book.take_look(policy).workers.get(worker, (None, None))
        if first is not None and value not in (first, None):
            raise WorkerNameTaken(
                f"Another worker named {name} beats in queue {of}. Nothing was touched. "
                f"Stop that one, or start this one under another name."
            )
        answer = scripts.requeue(
            queue, worker, why="stale", evidence=value, defaults=defaults, act=Act(f"worker {name}"),
            watched_since=watch.first_seen if watch else None,
        )  # fmt: skip
        if _is_free(answer, client, queue, worker):
            return
        if value is not None:
            first = value
        if answer.code is not Code.REAPED:
            time.sleep(LOOK_SECONDS)


def _is_free(answer: Reaped, client: redis.Redis, queue: QueueKeys, worker: bytes) -> bool:
    """Tell whether nothing stands under the name any more: neither jobs nor a heartbeat."""
    if answer.left_count:
        return False
    with translated():
        return not client.hexists(queue.heartbeats, worker)
