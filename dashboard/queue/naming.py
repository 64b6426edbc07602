"""Taking an explicit worker name: only when nobody alive has it, and after its old jobs are given back.

Owns: the wait that tells a dead predecessor from a live twin. Refuses: to take over from a live one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import redis

from dashboard.queue import backoff
from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Reaped
from dashboard.queue.errors import ServerAway, WorkerNameTaken, translated
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.watching import WatchBook

LOOK_SECONDS = 0.2

log = logging.getLogger(__name__)


def take_name(
    client: redis.Redis, queue: QueueKeys, worker: bytes, defaults: Policy, is_stopping: Callable[[], bool]
) -> None:
    """Return when the name is free: at once, or after its dead owner's jobs were given back.

    A heartbeat under the name is watched: when it changes, its owner lives and WorkerNameTaken is raised;
    when it stays unchanged for the threshold, its list is requeued. A list without a heartbeat gets one
    first. An absent server is waited for. Returns early once `is_stopping()`. Raises ServerRefused and
    WrongKeyType.
    """
    claim = _Claim(client, queue, worker, defaults)
    tries, away_since = 0, 0.0
    while not is_stopping():
        # While nobody could beat for as long as a beat takes, silence meant nothing.
        anew = bool(away_since) and time.monotonic() - away_since > defaults.beat_seconds
        try:
            answer = claim.attempt(anew=anew)
        except ServerAway as error:
            tries += 1
            away_since = away_since or time.monotonic()
            log.warning("worker %s waits: %s", readable(worker), error)
            time.sleep(backoff.pause_seconds(tries))
            continue
        tries, away_since = 0, 0.0
        if answer is None:
            return
        if answer.code is not Code.REAPED:
            time.sleep(LOOK_SECONDS)


class _Claim:
    """One worker's claim to a name, and what it has seen of the name's owner."""

    def __init__(self, client: redis.Redis, queue: QueueKeys, worker: bytes, defaults: Policy) -> None:
        self._client, self._q, self._worker, self._defaults = client, queue, worker, defaults
        self._book, self._scripts = WatchBook(client, queue), Scripts(client)
        self._first: bytes | None = None

    def attempt(self, *, anew: bool) -> Reaped | None:
        """Look once and give back what may be; None when the name is free. Raises WorkerNameTaken.

        `anew`: the owner's silence counts from now on.
        """
        policy = Policy.read(self._client, self._q, self._defaults)
        look = self._book.take_look(policy, anew=anew)
        value, watch = look.workers.get(self._worker, (None, None))
        name, of = (readable(part) for part in (self._worker, self._q.queue))
        if self._first is not None and value not in (self._first, None):
            raise WorkerNameTaken(
                f"Another worker named {name} beats in queue {of}. Nothing was touched. "
                f"Stop that one, or start this one under another name."
            )
        answer = self._scripts.requeue(
            self._q, self._worker, why="stale", evidence=value, defaults=self._defaults,
            act=Act(f"worker {name}"), watched_since=watch.first_seen if watch else None,
        )  # fmt: skip
        if self._is_free(answer):
            return None
        if value is not None:
            self._first = value
        return answer

    def _is_free(self, answer: Reaped) -> bool:
        """Tell whether nothing stands under the name any more: neither jobs nor a heartbeat."""
        if answer.left_count:
            return False
        with translated():
            return not self._client.hexists(self._q.heartbeats, self._worker)
