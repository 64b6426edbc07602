"""The breaker holds reaping back, once, when most of a queue's workers fall silent together.

Owns: noticing such a wave, how long it is waited for, and saying so in the log and in `{q}:stats`. Refuses:
to remember anything that progress needs. A worker that was watched unchanged for twice the threshold is never
held back, whatever this process remembers; so neither a janitor that restarts nor two of them can wait for
longer. An operator's reap does not ask here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

import redis

from dashboard.queue.errors import translated
from dashboard.queue.holdings import held_counts
from dashboard.queue.keys import HELD_BACK_COUNT, HELD_BACK_UNTIL, QueueKeys, readable
from dashboard.queue.liveness import told_at, unchanged_seconds
from dashboard.queue.policy import Policy
from dashboard.queue.watching import Look

log = logging.getLogger(__name__)

FEWEST_WORKERS = 3
"""Fewer dead workers are a crash; that many at once may be a network or a server."""

WAIT_THRESHOLDS = 2
"""Thresholds of silence after which a worker is reaped, wave or not."""


class Breaker:
    """Watches one queue for waves of silence, for one reaper."""

    def __init__(self, client: redis.Redis, queue: QueueKeys) -> None:
        self._client, self._q = client, queue
        self._reaped_at: dict[bytes, float] = {}
        self._began_at: float | None = None
        self._seen_at = 0.0
        self._is_said = False

    def note_reaped(self, worker: bytes, now: float) -> None:
        """Remember who fell: those that follow within a threshold belong to the same wave."""
        self._reaped_at[worker] = now

    def spared(self, stale: Mapping[bytes, int | None], look: Look, policy: Policy) -> set[bytes]:
        """Return those of the stale workers that are not to be reaped in this sweep. Raises ServerAway."""
        limit = policy.stale_after_seconds
        if self._began_at is not None and not 0 <= look.now - self._seen_at <= limit:
            self._began_at = None
        fresh = {worker for worker in stale if _silence(worker, look) < WAIT_THRESHOLDS * limit}
        wave, holder_count = self._wave(fresh, stale, look, policy) if fresh else (0, 0)
        if wave < FEWEST_WORKERS or 2 * wave <= holder_count:
            self._unsay()
            return set()
        self._seen_at = look.now
        if self._began_at is None:
            self._began_at = look.now
            self._say(wave, holder_count, look.now, limit)
        if 0 <= look.now - self._began_at < limit:
            return fresh
        self._unsay()
        return set()

    def _wave(
        self, fresh: set[bytes], stale: Mapping[bytes, int | None], look: Look, policy: Policy
    ) -> tuple[int, int]:
        """Return how many workers fall within one threshold, and how many hold jobs with them.

        Falling are those that went stale, those that were reaped lately, and those that will be stale before
        long: their last beats are spread over one interval, and the first must not be reaped before the
        others show that they fell as well.
        """
        self._reaped_at = {
            worker: at
            for worker, at in self._reaped_at.items()
            if 0 <= look.now - at <= policy.stale_after_seconds and worker not in look.workers
        }
        soon_after = max(policy.late_after_seconds, policy.stale_after_seconds - 2 * policy.beat_seconds)
        sinking = {
            worker
            for worker in look.workers.keys() - stale.keys()
            if soon_after <= _silence(worker, look) < WAIT_THRESHOLDS * policy.stale_after_seconds
        }
        if len(fresh) + len(self._reaped_at) + len(sinking) < FEWEST_WORKERS:
            return 0, 0
        others = held_counts(self._client, self._q, look.workers.keys() - stale.keys())
        holders = {worker for worker, held_count in others.items() if held_count}
        wave = len(fresh) + len(self._reaped_at) + len(holders & sinking)
        return wave, len(stale) + len(self._reaped_at) + len(holders)

    def _say(self, wave: int, holder_count: int, now: float, seconds: float) -> None:
        log.warning(
            "queue %s: %d of the %d workers that hold jobs fell silent together. Nothing is lost; "
            "in case the network is at fault their jobs stay held for %g s more, once.",
            readable(self._q.queue), wave, holder_count, seconds,
        )  # fmt: skip
        self._is_said = True
        with translated():
            try:
                stamps = {HELD_BACK_UNTIL: f"{now + seconds:.3f}", HELD_BACK_COUNT: wave}
                self._client.hset(self._q.stats, mapping=stamps)  # type: ignore[arg-type]
            except redis.ResponseError:
                return

    def _unsay(self) -> None:
        if not self._is_said:
            return
        log.info("queue %s: reaping goes on", readable(self._q.queue))
        self._is_said = False
        with translated():
            try:
                self._client.hdel(self._q.stats, HELD_BACK_UNTIL, HELD_BACK_COUNT)
            except redis.ResponseError:
                return


def _silence(worker: bytes, look: Look) -> float:
    """Return for how long a worker is silent both by the watch and by its own word."""
    value, watch = look.workers[worker]
    told = told_at(value, look.now)
    watched = unchanged_seconds(watch, value, look.now)
    return watched if told is None else min(watched, look.now - told)
