"""Taking an explicit worker name: only when nobody alive has it, and after its old jobs are given back.

Owns: the wait that tells a dead predecessor from a live twin. Refuses: to take over from a live one, and to
touch jobs in one queue before the owner of the name is known to be dead in all of them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

import redis

from dashboard.queue import backoff
from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.errors import ServerAway, WorkerNameTaken, translated
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.liveness import Watch, is_over
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.watching import WatchBook

LOOK_SECONDS = 0.2

log = logging.getLogger(__name__)


def take_name(
    queues: Sequence[tuple[redis.Redis, QueueKeys]],
    worker: bytes,
    defaults: Policy,
    is_stopping: Callable[[], bool],
) -> None:
    """Return when the name is free in all queues: at once, or after its dead owner's jobs were given back.

    `queues` stand with a client of the server that holds each.

    A heartbeat under the name is watched: when it changes in one of the queues, its owner lives and
    WorkerNameTaken is raised; when it stays unchanged for the threshold, its list is requeued. A list without
    a heartbeat gets one first. An absent server is waited for. Returns early once `is_stopping()`. Raises
    ServerRefused and WrongKeyType.
    """
    claims = [_Claim(client, queue, worker, defaults) for client, queue in queues]
    tries, away_since = 0, 0.0
    while not is_stopping():
        # While nobody could beat for as long as a beat takes, silence meant nothing.
        anew = bool(away_since) and time.monotonic() - away_since > defaults.beat_seconds
        try:
            # Each is looked at before anything is touched: a live owner shows wherever it beats.
            unclear = [one for one in claims if not one.is_owner_over(anew=anew)]
            unclear = unclear or [one for one in claims if not one.is_cleared()]
        except ServerAway as error:
            tries += 1
            away_since = away_since or time.monotonic()
            log.warning("worker %s waits: %s", readable(worker), error)
            time.sleep(backoff.pause_seconds(tries))
            continue
        tries, away_since = 0, 0.0
        if not unclear:
            return
        if not any(one.has_more for one in claims):
            time.sleep(LOOK_SECONDS)


class _Claim:
    """One worker's claim to a name in one queue, and what it has seen of the name's owner there."""

    def __init__(self, client: redis.Redis, queue: QueueKeys, worker: bytes, defaults: Policy) -> None:
        self._client, self._q, self._worker, self._defaults = client, queue, worker, defaults
        self._book, self._scripts = WatchBook(client, queue), Scripts(client)
        self._first: bytes | None = None
        self._value: bytes | None = None
        self._watch: Watch | None = None
        self.has_more = False
        """Its list was too long for one call, and the next may follow at once."""

    def is_owner_over(self, *, anew: bool) -> bool:
        """Look, and tell whether the owner is dead or there is none. Raises WorkerNameTaken.

        `anew`: the owner's silence counts from now on.
        """
        self.has_more = False
        policy = Policy.read(self._client, self._q, self._defaults)
        look = self._book.take_look(policy, anew=anew)
        self._value, self._watch = look.workers.get(self._worker, (None, None))
        if self._first is not None and self._value not in (self._first, None):
            name, of = (readable(part) for part in (self._worker, self._q.queue))
            raise WorkerNameTaken(
                f"Another worker named {name} beats in queue {of}. Nothing was touched. "
                f"Stop that one, or start this one under another name."
            )
        if self._value is None:
            return True
        self._first = self._value
        return is_over(self._value, self._watch, look.now, policy)

    def is_cleared(self) -> bool:
        """Give the owner's jobs back, and tell whether nothing stands under the name any more."""
        answer = self._scripts.requeue(
            self._q, self._worker, why="stale", evidence=self._value, defaults=self._defaults,
            act=Act(f"worker {readable(self._worker)}"),
            watched_since=self._watch.first_seen if self._watch else None,
        )  # fmt: skip
        self.has_more = answer.code is Code.REAPED and answer.left_count > 0
        if answer.left_count:
            return False
        with translated():
            return not self._client.hexists(self._q.heartbeats, self._worker)
