"""A slow walk over the keys that finds managed queues which the index does not name.

Owns: one bounded SCAN call at a time for policy keys, and the names found so far. Refuses: to decide
whether a queue is managed; its policy does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import redis

from dashboard.queue.discovery import SCAN_COUNT
from dashboard.queue.errors import BadName, ServerRefused, translated
from dashboard.queue.keys import QueueKeys

POLICY_SUFFIX = b":policy"
WALK_SECONDS_MIN = 5.0
"""From the beginning of one walk to that of the next: only a lost index makes it needed."""


class PolicyWalk:
    """Finds the queues that have a policy, a step at a time; it knows all of them after one walk."""

    def __init__(self, client: redis.Redis, clock: Callable[[], float] = time.monotonic) -> None:
        # redis-py's stubs do not know that keys are bytes here.
        self._client: Any = client
        self._clock = clock
        self._cursor, self._walk_began_at = 0, -WALK_SECONDS_MIN
        self._last_walk: dict[bytes, QueueKeys] = {}
        self._this_walk: dict[bytes, QueueKeys] = {}

    def step(self) -> dict[bytes, QueueKeys]:
        """Look at the next 2,000 keys or so, unless the walk rests, and return every queue known by now.

        Raises ServerAway. Where SCAN is refused the index and the settings name the queues.
        """
        now = self._clock()
        if self._cursor or now - self._walk_began_at >= WALK_SECONDS_MIN:
            if not self._cursor:
                self._walk_began_at = now
            try:
                self._look()
            except ServerRefused:
                self._cursor = 0
        return self._last_walk | self._this_walk

    def _look(self) -> None:
        cursor, self._cursor = self._cursor, 0
        with translated():
            following, keys = self._client.scan(
                cursor, match=b"*" + POLICY_SUFFIX, count=SCAN_COUNT, _type="hash"
            )
        for key in keys:
            try:
                queue = QueueKeys(key.removesuffix(POLICY_SUFFIX))
            except BadName:
                continue
            self._this_walk[queue.queue] = queue
        self._cursor = int(following)
        if not self._cursor:
            self._last_walk, self._this_walk = self._this_walk, {}
