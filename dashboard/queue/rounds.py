"""The beats of a supervisor: for every child in each of its queues, when they are due.

Owns: the first look at the server, the policy that beats follow, and the pause after trouble. What goes wrong
in one queue delays the beats of no other. Refuses: to beat for a child that is stopped or wedged.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from dashboard.queue import backoff
from dashboard.queue.connections import Connections
from dashboard.queue.errors import QueueError, ServerAway, WrongKeyType
from dashboard.queue.heartbeat import Heartbeat
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.offspring import Offspring
from dashboard.queue.permissions import Part
from dashboard.queue.policy import Policy
from dashboard.queue.preflight import preflight
from dashboard.queue.registry import Registration
from dashboard.queue.scripts import Scripts

log = logging.getLogger(__name__)


class Rounds:
    """One round for each queue. One of them at a call: whoever calls hears signals in between."""

    def __init__(self, queues: Sequence[QueueKeys], connections: Connections, defaults: Policy) -> None:
        self._rounds = [_Round(queue, place, defaults) for place, queue in enumerate(queues)]
        self._connections = connections
        self._is_checked, self._away_count = False, 0

    @property
    def due_at(self) -> float:
        """When the next one is due; 0.0 at first."""
        return min(one.due_at for one in self._rounds)

    def hurry(self) -> None:
        """Make all due now: there is a child that waits for its beat."""
        for one in self._rounds:
            one.due_at = 0.0

    def beat(self, children: Sequence[Offspring]) -> None:
        """Beat for the children in the queue that is due, if one is.

        Raises ServerRefused once, before anything is written, for a server that will not do.
        """
        due = min(self._rounds, key=lambda one: one.due_at)
        if time.monotonic() >= due.due_at and self._check_server():
            due.beat(self._connections, children)

    def _check_server(self) -> bool:
        if not self._is_checked:
            try:
                preflight(
                    [(self._connections.of(one.queue).beat(), one.queue) for one in self._rounds], Part.WORKER
                )
            except ServerAway as error:
                self._away_count += 1
                log.warning("the supervisor waits: %s", error)
                for one in self._rounds:
                    one.due_at = time.monotonic() + backoff.pause_seconds(self._away_count)
                return False
            self._is_checked = True
        return True


class _Round:
    """The beats in queue number `place`."""

    def __init__(self, queue: QueueKeys, place: int, defaults: Policy) -> None:
        self.queue, self._place, self._defaults = queue, place, defaults
        self._policy = defaults
        self._registration = Registration(queue)
        self._trouble_count = 0
        self.due_at = 0.0

    def beat(self, connections: Connections, children: Sequence[Offspring]) -> None:
        try:
            client = connections.of(self.queue).beat()
            self._policy = policy = Policy.read(client, self.queue, self._defaults)
            now, scripts = time.monotonic(), Scripts(client)
            for child in children:
                heartbeat = child.heartbeats[self._place]
                if not child.is_frozen and not heartbeat.slot.is_wedged(now, policy.stale_after_seconds):
                    self._beat(heartbeat, scripts)
            # Last: in a cluster the index lives on another node, and that one may be away.
            self._registration.renew(connections.of_registry().beat())
            self._trouble_count, pause = 0, policy.beat_pause_seconds
        except QueueError as error:
            self._trouble_count += 1
            log.warning("no beat in queue %s: %s", readable(self.queue.queue), error)
            for child in children:
                child.heartbeats[self._place].tell_risk(self._policy)
            pause = backoff.pause_seconds(self._trouble_count)
        self.due_at = time.monotonic() + pause

    def _beat(self, heartbeat: Heartbeat, scripts: Scripts) -> None:
        """Beat for one child; a list of another type is its own trouble and not its siblings'."""
        try:
            heartbeat.beat(scripts)
        except WrongKeyType as error:
            if error.key == self.queue.heartbeats:
                raise
            log.warning("no beat for worker %s: %s", readable(heartbeat.worker), error)
            heartbeat.tell_risk(self._policy)
