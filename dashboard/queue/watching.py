"""The watch over a queue's heartbeats: `{q}:watch`, read and written.

Owns: reading heartbeats and watch of a queue, and noting what a look found. Refuses: to judge (`liveness`
does) and to reap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import redis

from dashboard.queue.errors import WrongKeyType, translated
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import Watch, look
from dashboard.queue.policy import Policy

PAGE_FIELDS = 1000
"""Fields of a hash that one command reads or writes: under a millisecond."""

NOTE_SHARE = 0.25
"""A look that found no change is noted once in this share of the threshold, to save writes."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a queue: the server's time and each worker's heartbeat value with the watch over it."""

    now: float
    workers: dict[bytes, tuple[bytes, Watch]]


class WatchBook:
    """The watch of one queue, as one process keeps it up.

    It is remembered here too, for a server that is too full to store it.
    """

    def __init__(self, client: redis.Redis, queue: QueueKeys) -> None:
        self._client, self._q = client, queue
        self._remembered: dict[bytes, Watch] = {}

    def take_look(self, policy: Policy, *, anew: bool = False) -> Look:
        """Look at all heartbeats and note what was found; `anew` begins every watch now.

        Raises ServerError, and WrongKeyType for heartbeats that are no hash. A watch key of another type is
        left alone; the watch is in memory only then.
        """
        with translated():
            now = _seconds(self._client.time())
            beats = self._beats()
            stored = self._stored_watches()
        workers, changes = {}, {}
        for worker, value in beats.items():
            before = None if anew else self._latest(worker, Watch.parse(stored.get(worker)))
            after = look(before, value, now, policy)
            workers[worker] = (value, after)
            noted = Watch.parse(stored.get(worker))
            if noted is None or noted.first_seen != after.first_seen or self._is_due(noted, now, policy):
                changes[worker] = after.to_bytes()
        self._remembered = {worker: watch for worker, (_, watch) in workers.items()}
        self._note(changes, [worker for worker in stored if worker not in beats])
        return Look(now, workers)

    def _latest(self, worker: bytes, stored: Watch | None) -> Watch | None:
        remembered = self._remembered.get(worker)
        if stored is None or (remembered is not None and remembered.last_seen > stored.last_seen):
            return remembered
        return stored

    def _is_due(self, noted: Watch, now: float, policy: Policy) -> bool:
        return now - noted.last_seen >= NOTE_SHARE * policy.stale_after_seconds

    def _beats(self) -> dict[bytes, bytes]:
        try:
            return dict(self._fields(self._q.heartbeats))
        except redis.ResponseError as error:
            if "WRONGTYPE" not in str(error):
                raise
            got: Any = self._client.type(self._q.heartbeats)
            raise WrongKeyType(self._q.heartbeats, "hash", got.decode()) from error

    def _stored_watches(self) -> dict[bytes, bytes]:
        try:
            return dict(self._fields(self._q.watch))
        except redis.ResponseError as error:
            if "WRONGTYPE" in str(error):
                return {}
            raise

    def _fields(self, key: bytes) -> Iterator[tuple[bytes, bytes]]:
        return self._client.hscan_iter(key, count=PAGE_FIELDS)

    def _note(self, changes: dict[bytes, bytes], vanished: list[bytes]) -> None:
        """Write what changed. A server that refuses (out of memory) only delays reaping."""
        changed = list(changes.items())
        with translated():
            try:
                for start in range(0, len(vanished), PAGE_FIELDS):
                    self._client.hdel(self._q.watch, *vanished[start : start + PAGE_FIELDS])
                for start in range(0, len(changed), PAGE_FIELDS):
                    self._client.hset(self._q.watch, mapping=dict(changed[start : start + PAGE_FIELDS]))
            except redis.ResponseError:
                return


def _seconds(time_answer: Any) -> float:
    seconds, microseconds = time_answer
    return float(seconds) + float(microseconds) / 1_000_000
