"""The reaper gives back what dead workers hold.

Owns: one sweep over a queue: look at the heartbeats, keep up the watch, requeue the jobs of workers that
were watched unchanged for the threshold, adopt lists without a heartbeat, forget workers that are gone.
Refuses: to touch more than the watch where reaping is manual, and to decide which queues are swept. Whether
a worker is dead the requeue script checks again, in the same instant in which it moves the jobs; whether most
fell silent together the breaker notices.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.breaker import Breaker
from dashboard.queue.errors import QueueError, ServerAway, translated
from dashboard.queue.holdings import held_counts
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.liveness import is_over, told_at
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.watching import Look, WatchBook

log = logging.getLogger(__name__)

GONE_KEPT_SECONDS = 86_400.0
"""A worker that went silent holding nothing is shown for a day, then forgotten."""

CALLS_PER_WORKER_MAX = 100
"""Calls of 100 jobs each that one sweep spends on one worker; the next sweep goes on."""

ACT = Act("janitor")


@dataclass(slots=True)
class Swept:
    """What one sweep did: jobs given back and jobs found dead, workers reaped, lists adopted."""

    moved_count: int = 0
    dead_count: int = 0
    reaped_count: int = 0
    adopted_count: int = 0


class Reaper:
    """Sweeps one queue, again and again. It remembers the watch between sweeps.

    `look` is what the last sweep saw; None before the first and after one that could not look.
    """

    def __init__(self, client: redis.Redis, queue: QueueKeys, defaults: Policy) -> None:
        self._client, self._q, self._defaults = client, queue, defaults
        self._scripts = Scripts(client)
        self._book = WatchBook(client, queue)
        self._breaker = Breaker(client, queue)
        self.look: Look | None = None
        self._empty: set[bytes] = set()

    def sweep(self, policy: Policy, orphans: Iterable[bytes] = (), *, anew: bool = False) -> Swept:
        """Do one sweep under `policy`; `orphans` are workers whose lists were found without a heartbeat.

        `anew` begins the watch now: after an error of the caller's, or under a server that has just started,
        workers may have been unable to beat. Raises ServerAway, and WrongKeyType for a key of another type.
        """
        self.look = None
        self.look, swept = self._book.take_look(policy, anew=anew), Swept()
        look = self.look
        if policy.reaping == "automatic":
            silent = [
                worker
                for worker, (value, watch) in look.workers.items()
                if is_over(value, watch, look.now, policy)
            ]
            counts = held_counts(self._client, self._q, silent)
            # A list of another type counts as something, to be reported. Who held nothing a sweep ago has
            # just claimed: a loop that beats only then is about to.
            holding = {worker: count for worker, count in counts.items() if count != 0}
            spared = self._breaker.spared(holding, look, policy)
            for worker in silent:
                if worker in holding:
                    if worker not in self._empty and worker not in spared:
                        self._try(self._reap, worker, look, swept)
                elif self._is_forgotten(worker, look):
                    self._try(self._reap, worker, look, swept)
            self._empty = counts.keys() - holding.keys()
            for worker in orphans:
                if policy.adopt_orphans and worker not in look.workers:
                    self._try(self._adopt, worker, look, swept)
        self._stamp(look.now)
        return swept

    def _reap(self, worker: bytes, look: Look, swept: Swept) -> None:
        value, watch = look.workers[worker]
        for _ in range(CALLS_PER_WORKER_MAX):
            answer = self._scripts.requeue(
                self._q, worker, why="stale", evidence=value, defaults=self._defaults, act=ACT,
                watched_since=watch.first_seen,
            )  # fmt: skip
            if answer.code is not Code.REAPED:
                return
            swept.moved_count += answer.moved_count
            swept.dead_count += answer.dead_count
            if answer.moved_count + answer.dead_count:
                self._breaker.note_reaped(worker, look.now)
            if not answer.left_count:
                swept.reaped_count += 1
                return

    def _adopt(self, worker: bytes, _: Look, swept: Swept) -> None:
        answer = self._scripts.requeue(
            self._q, worker, why="stale", evidence=None, defaults=self._defaults, act=ACT
        )
        swept.adopted_count += answer.code is Code.ADOPTED

    def _try(
        self, act: Callable[[bytes, Look, Swept], None], worker: bytes, look: Look, swept: Swept
    ) -> None:
        """Act on one worker; whatever is wrong with its keys must not keep the others waiting."""
        try:
            act(worker, look, swept)
        except ServerAway:
            raise
        except QueueError as error:
            log.warning("queue %s, worker %s: %s", readable(self._q.queue), readable(worker), error)

    def _is_forgotten(self, worker: bytes, look: Look) -> bool:
        value, watch = look.workers[worker]
        last_sign = told_at(value, look.now) or watch.first_seen
        return look.now - max(last_sign, 0.0) > GONE_KEPT_SECONDS

    def _stamp(self, now: float) -> None:
        """Leave the instant of this sweep for the console. Losing it loses nothing."""
        with translated():
            try:
                self._client.hset(self._q.stats, "reaped_at", f"{now:.3f}")
            except redis.ResponseError:
                return
