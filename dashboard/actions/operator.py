"""The one door for every change that a person makes.

Owns: putting the acts together for one actor, and the time that each took. Refuses: to do anything itself;
the acts are in `jobs`, `bulk`, `workers` and `queues`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import redis

from dashboard.actions.bulk import Bulk, Progress, unwatched
from dashboard.actions.desk import Desk
from dashboard.actions.jobs import Jobs, Pick
from dashboard.actions.noted_scripts import NotedScripts
from dashboard.actions.outcome import Outcome
from dashboard.actions.queues import Queues
from dashboard.actions.roles import Actor
from dashboard.actions.workers import Workers
from dashboard.queue.policy import Policy

if TYPE_CHECKING:
    from dashboard.inspector import Inspector


class Operator:
    """The acts of one actor. Build one for each request: it costs nothing and keeps nothing.

    `client` runs the scripts. `inspector` tells which workers are stale. `defaults` is the policy of a queue
    that has none of its own. `trash_count` is how many discarded jobs the trash of a queue keeps.

    Every method takes one-time ids (32 hexadecimal digits from a form): the same id again moves nothing and
    answers what happened first. Every method raises Refused when it was not started (role, ambiguous name,
    a list that changed), and the QueueError family for what the library or the server refuses; a wrong key
    type moves nothing.
    """

    def __init__(
        self,
        client: redis.Redis,
        *,
        inspector: Inspector,
        defaults: Policy,
        actor: Actor,
        trash_count: int = 10_000,
    ) -> None:
        self._scripts = NotedScripts(client)
        desk = Desk(self._scripts, actor, defaults, trash_count)
        self.actor = actor
        self._inspector = inspector
        self._jobs = Jobs(desk)
        self._bulk = Bulk(desk)
        self._workers = Workers(desk, inspector)
        self._queues = Queues(desk)

    @property
    def may_have_acted(self) -> bool:
        """A call of the acts so far has changed something, or its answer never came."""
        return self._scripts.may_have_acted

    def retry(self, queue: bytes, addresses: Sequence[Pick], *, keep_attempts: bool = False) -> Outcome:
        """Move exact dead jobs to the front of pending; see `Jobs.retry`."""
        return self._done(lambda: self._jobs.retry(queue, addresses, keep_attempts=keep_attempts))

    def retry_all(
        self,
        queue: bytes,
        bound: int,
        newest_digest: str,
        act_id: str,
        *,
        keep_attempts: bool = False,
        progress: Progress = unwatched,
    ) -> Outcome:
        """Move the `bound` oldest dead jobs behind what is pending; see `Bulk.retry_all`."""
        return self._done(
            lambda: self._bulk.retry_all(
                queue, bound, newest_digest, act_id, keep_attempts=keep_attempts, progress=progress
            )
        )

    def discard(self, queue: bytes, addresses: Sequence[Pick]) -> Outcome:
        """Move exact jobs into the trash; see `Jobs.discard`."""
        return self._done(lambda: self._jobs.discard(queue, addresses))

    def restore(self, queue: bytes, trash_id: str, act_id: str) -> Outcome:
        """Put a discarded job back; see `Jobs.restore`."""
        return self._done(lambda: self._jobs.restore(queue, trash_id, act_id))

    def promote(self, queue: bytes, addresses: Sequence[Pick]) -> Outcome:
        """Move exact delayed jobs to the front of pending now; see `Jobs.promote`."""
        return self._done(lambda: self._jobs.promote(queue, addresses))

    def promote_due(
        self, queue: bytes, act_id: str, bound: int, *, progress: Progress = unwatched
    ) -> Outcome:
        """Move what is due behind what is pending, `bound` jobs at most; see `Bulk.promote_due`."""
        return self._done(lambda: self._bulk.promote_due(queue, act_id, bound, progress=progress))

    def reap(self, queue: bytes, worker: bytes, seen: bytes | None, act_id: str) -> Outcome:
        """Give back what a dead worker held; see `Workers.reap`. The one act that can run a job twice."""
        return self._done(lambda: self._workers.reap(queue, worker, seen, act_id))

    def reap_stale(self, queue: bytes | None, act_id: str) -> Outcome:
        """Reap every stale worker and orphan list; see `Workers.reap_stale`."""
        return self._done(lambda: self._workers.reap_stale(queue, act_id))

    def pause(self, queue: bytes, act_id: str) -> Outcome:
        """Let workers of ours claim nothing more from the queue."""
        return self._done(lambda: self._queues.pause(queue, act_id))

    def resume(self, queue: bytes, act_id: str) -> Outcome:
        """Let workers of ours claim from the queue again."""
        return self._done(lambda: self._queues.resume(queue, act_id))

    def _done(self, act: Callable[[], Outcome]) -> Outcome:
        """Do an act, note how long it took, and make the console look again at who holds what."""
        started = time.monotonic()
        try:
            outcome = act()
        finally:
            self._inspector.expire()
        return replace(outcome, elapsed_seconds=time.monotonic() - started)
