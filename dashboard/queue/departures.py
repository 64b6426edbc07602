"""The dead children of a supervisor that are still being seen off.

Owns: which departures are open, and when they are tried next. Refuses: the steps of one; see `departure`.
"""

from __future__ import annotations

import logging
import time

from dashboard.queue import backoff
from dashboard.queue.connections import Connections
from dashboard.queue.departure import Departure, Route
from dashboard.queue.errors import QueueError, ServerAway
from dashboard.queue.offspring import Offspring
from dashboard.queue.policy import Policy
from dashboard.queue.time_limit import sentence

log = logging.getLogger(__name__)

AGAIN_SECONDS = 0.1
"""How soon one that could not end is tried again: its ghost has a second or more."""


class Departures:
    """One entry for each dead child and queue. What holds up one holds up no other."""

    def __init__(self, block_seconds: float, defaults: Policy, time_limit_seconds: float | None) -> None:
        self._block_seconds, self._defaults = block_seconds, defaults
        self._time_limit_seconds = time_limit_seconds
        self._open: list[Departure] = []
        self._trouble_count = 0
        self.due_at = 0.0

    def __bool__(self) -> bool:
        return bool(self._open)

    def add(self, child: Offspring, why: str) -> None:
        """See a dead child off in every queue in which it was beaten for, at once."""
        usual = Route.LEFT if child.was_ended_by_us or child.slot.has_left else Route.CRASHED
        for heartbeat in child.heartbeats:
            if heartbeat.slot.beat_at:
                route, reason = usual, why
                # Not so where that job has ended after all, just before its process did.
                if child.overdue_since and heartbeat.slot.busy_since == child.overdue_since:
                    route, reason = Route.OVERDUE, sentence(self._time_limit_seconds or 0.0)
                departure = Departure(
                    heartbeat, route, reason, block_seconds=self._block_seconds, defaults=self._defaults
                )
                self._open.append(departure)
                self.due_at = 0.0

    def attempt(self, connections: Connections) -> None:
        """Do what can be done now, and set when to do so again. Never raises QueueError."""
        pause = AGAIN_SECONDS
        for departure in list(self._open):
            try:
                if departure.attempt(connections.of(departure.heartbeat.queue).beat()):
                    self._open.remove(departure)
                    self._trouble_count = 0
            except QueueError as error:
                self._trouble_count += 1
                pause = backoff.pause_seconds(self._trouble_count)
                log.warning("%s: %s", departure, error)
                if isinstance(error, ServerAway):
                    # To the end: in a cluster the others may be for servers that are there.
                    self._open.remove(departure)
                    self._open.append(departure)
                    break
        self.due_at = time.monotonic() + pause
