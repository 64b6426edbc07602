"""What is left to do in one queue after a child has ended: its jobs, its connection, its heartbeat.

Owns: the order of these steps for one dead worker. Refuses: to wait; `attempt` is called again until it is
over.

Between the death and the end of its claim connection a server may still hand a job to the dead child. So the
jobs are given back at once, then the server ends that connection, then the list is emptied again, and only
then does the heartbeat go. Where the server does not end connections for us, the block time is waited for.

A child that did not crash has told in its slot which jobs of its batch are finished: they are acknowledged
rather than given back, if the server knows of the same last call as the slot.
"""

from __future__ import annotations

import logging
import time
from enum import Enum

import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.claims import call_number
from dashboard.queue.errors import ServerRefused, translated
from dashboard.queue.heartbeat import Heartbeat
from dashboard.queue.keys import SETTLED, readable, worker_field
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.slot import check_of

log = logging.getLogger(__name__)

RELEASE_JOBS = 100
GHOST_MARGIN_SECONDS = 1.0


class Route(Enum):
    """How the jobs go back."""

    CRASHED = "crashed"
    """The child died by itself: each job it held has one attempt more."""
    LEFT = "left"
    """The child left, or its supervisor ended it at the end of the grace: counters stay."""
    OVERDUE = "overdue"
    """Its supervisor ended it for a job over its time limit: that one has an attempt more, the others not."""


class Departure:
    """One dead child in one of its queues. `why` is for the flight recorder: "SIGKILL", "exit code 1".

    OVERDUE is the route of the queue that the job is of.
    """

    def __init__(
        self, heartbeat: Heartbeat, route: Route, why: str, *, block_seconds: float, defaults: Policy
    ) -> None:
        self.heartbeat, self.route, self._why, self._defaults = heartbeat, route, why, defaults
        self._q, self._worker = heartbeat.queue, heartbeat.worker
        self._ghost = heartbeat.slot.client_id
        self._ghost_gone_at = time.monotonic() + block_seconds + GHOST_MARGIN_SECONDS

    def __str__(self) -> str:
        return f"worker {readable(self._worker)} in queue {readable(self._q.queue)}"

    def attempt(self, client: redis.Redis) -> bool:
        """Do what can be done now; True when nothing is left to do. Safe to call again. Raises QueueError."""
        scripts = Scripts(client)
        if self.route is Route.CRASHED:
            self._requeue(scripts)
        if not self._ghost_is_gone(client):
            return False
        is_certain = self.route is not Route.CRASHED and self._acknowledge_finished(client, scripts)
        if self.route is Route.OVERDUE and is_certain:
            self._release(client, scripts, kept_count=1)
        if self.route is Route.LEFT:
            self._release(client, scripts)
        else:
            self._requeue(scripts)
        retired = scripts.retire(self._q, self._worker, token=self.heartbeat.token, why=self._why)
        return retired.code is not Code.HOLDING

    def _acknowledge_finished(self, client: redis.Redis, scripts: Scripts) -> bool:
        """Acknowledge what the child had finished; False where it is not certain what that is.

        It is given back then: a second run is allowed, a lost job is not.
        """
        slot, last = self.heartbeat.slot, self.heartbeat.slot.settled_call
        if not slot.done_count:
            return True
        key, field = self._q.processing(self._worker), worker_field(SETTLED, self._worker)
        with translated():
            known = call_number(client.hget(self._q.workers, field))  # type: ignore[arg-type]
            raws: list[bytes] = client.lrange(key, -slot.done_count, -1)[::-1]  # type: ignore[assignment]
        if not last or known is None or known not in (last, last + 1):
            return False
        if known == last:
            if len(raws) != slot.done_count or check_of(raws) != slot.done_check:
                return False
            scripts.settle(self._q, self._worker, last + 1, raws, 0)
        # Otherwise the child's own call has arrived, or an earlier attempt of this one.
        return True

    def _requeue(self, scripts: Scripts) -> None:
        beaten = False
        while True:
            answer = scripts.requeue(
                self._q, self._worker, why="child-exit", evidence=self.heartbeat.token.encode(),
                defaults=self._defaults, act=Act("supervisor"), detail=self._why,
            )  # fmt: skip
            if answer.code is Code.ALIVE and not beaten:
                # Redis forgot the token. The name is this child's alone, and the child is dead.
                self.heartbeat.beat(scripts)
                beaten = True
            elif answer.code is not Code.REAPED or not answer.left_count:
                return

    def _release(self, client: redis.Redis, scripts: Scripts, kept_count: int = 0) -> None:
        """Give all back but the `kept_count` oldest."""
        key, last = self._q.processing(self._worker), -1 - kept_count
        while True:
            with translated():
                raws: list[bytes] = client.lrange(key, last + 1 - RELEASE_JOBS, last)  # type: ignore[assignment]
            # Newest first, so that the oldest is at the front of pending in the end.
            if not raws or not scripts.release(self._q, self._worker, raws[::-1]).released_count:
                return

    def _ghost_is_gone(self, client: redis.Redis) -> bool:
        if not self._ghost or time.monotonic() >= self._ghost_gone_at:
            return True
        try:
            with translated():
                client.execute_command("CLIENT", "KILL", "ID", self._ghost)  # type: ignore[no-untyped-call]
        except ServerRefused as error:
            if error.code == "NOPERM":
                return False
        self._ghost = 0
        return True
