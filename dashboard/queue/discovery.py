"""A slow walk over the keys that finds processing lists nobody registered.

Owns: one bounded SCAN call at a time, its cursor, and the rest between two walks. Refuses: KEYS, and to judge
what it finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import redis

from dashboard.queue.errors import translated
from dashboard.queue.keys import has_reserved_segment, scan_pattern, split_key

SCAN_COUNT = 2000
"""Keys that one call looks at: about a millisecond."""
WALK_SECONDS_MIN = 2.0
"""From the beginning of one walk to that of the next."""
ANY_LIST = b"*:processing:*"


class ProcessingLists:
    """Finds the workers whose processing lists exist, for some queues, a step at a time."""

    def __init__(self, client: redis.Redis, clock: Callable[[], float] = time.monotonic) -> None:
        # redis-py's stubs do not know that keys are bytes here.
        self._client: Any = client
        self._clock = clock
        self._cursor, self._walk_began_at = 0, -WALK_SECONDS_MIN

    def step(self, queues: Iterable[bytes]) -> dict[bytes, set[bytes]]:
        """Look at the next 2,000 keys or so and return the workers found, by queue.

        {} while the walk rests. Raises ServerError; the walk begins anew then. Names with a reserved segment
        are left out: their keys may belong to another queue.
        """
        wanted = {queue for queue in queues if not has_reserved_segment(queue)}
        now = self._clock()
        if not wanted or (self._cursor == 0 and now - self._walk_began_at < WALK_SECONDS_MIN):
            return {}
        if self._cursor == 0:
            self._walk_began_at = now
        # With one queue the server filters; with several one walk serves them all.
        pattern = scan_pattern(next(iter(wanted))) if len(wanted) == 1 else ANY_LIST
        cursor, self._cursor = self._cursor, 0
        with translated():
            following, keys = self._client.scan(cursor, match=pattern, count=SCAN_COUNT, _type="list")
        self._cursor = int(following)
        return _by_queue(keys, wanted)

    def restart(self) -> None:
        """Begin the walk anew with the next step."""
        self._cursor, self._walk_began_at = 0, -WALK_SECONDS_MIN


def _by_queue(keys: Iterable[bytes], wanted: set[bytes]) -> dict[bytes, set[bytes]]:
    found: dict[bytes, set[bytes]] = {}
    for key in keys:
        parts = split_key(key)
        if parts is None or parts[2] is None:
            continue
        queue, _, worker = parts
        if queue in wanted and worker and not has_reserved_segment(worker):
            found.setdefault(queue, set()).add(worker)
    return found
