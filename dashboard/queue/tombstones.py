"""Forgetting what is kept of workers that ended: `{q}:workers` records older than a day.

Owns: one bounded step at a time over that hash. Refuses: to touch records of workers that still beat.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import redis

from dashboard.queue.errors import translated
from dashboard.queue.keys import BUSY, INSTANCE, SETTLED, TOKEN, TOMBSTONE, QueueKeys, worker_field

KEPT_SECONDS = 86_400.0
STEP_SECONDS = 10.0
"""From one step to the next: a day's records need no hurry."""
STEP_FIELDS = 500


class Tombstones:
    """Walks one queue's worker records, a step at a time."""

    def __init__(
        self, client: redis.Redis, queue: QueueKeys, clock: Callable[[], float] = time.monotonic
    ) -> None:
        # redis-py's stubs do not know that names are bytes here.
        self._client: Any = client
        self._q, self._clock = queue, clock
        self._cursor, self._stepped_at = 0, -STEP_SECONDS

    def step(self) -> int:
        """Look at the next 500 fields, at most every ten seconds; return how many workers were forgotten.

        Raises ServerError.
        """
        now = self._clock()
        if now - self._stepped_at < STEP_SECONDS:
            return 0
        self._stepped_at = now
        with translated():
            seconds, _ = self._client.time()
            self._cursor, records = self._client.hscan(
                self._q.workers, self._cursor, match=TOMBSTONE + b"*", count=STEP_FIELDS
            )
            old = [
                field[len(TOMBSTONE) :] for field, value in records.items() if _is_old(value, float(seconds))
            ]
            if old:
                self._forget(old)
        return len(old)

    def _forget(self, workers: list[bytes]) -> None:
        beats = self._client.hmget(self._q.heartbeats, workers)
        fields = [worker_field(TOMBSTONE, worker) for worker in workers]
        for worker, beat in zip(workers, beats, strict=True):
            if beat is None:
                fields += [worker_field(kind, worker) for kind in (INSTANCE, TOKEN, BUSY, SETTLED)]
        self._client.hdel(self._q.workers, *fields)


def _is_old(value: bytes, now: float) -> bool:
    """Tell whether a tombstone is over a day old. One that cannot be read tells nobody anything: old."""
    try:
        return now - float(msgspec.json.decode(value, type=dict[str, Any])["at"]) > KEPT_SECONDS
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, msgspec.MsgspecError):
        return True
