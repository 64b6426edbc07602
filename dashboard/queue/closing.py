"""The end of a supervisor: from the first signal to the instant at which it gives up.

Owns: these deadlines. Refuses: clocks, processes and Redis.
"""

from __future__ import annotations

import math

FAREWELL_SECONDS = 5.0
"""How long after the grace the last jobs are given back, before an absent server is left alone."""
FAREWELL_AT_ONCE_SECONDS = 1.0
"""The same after a second signal."""


class Closing:
    """Not begun at first. `begin` again means at once."""

    def __init__(self, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._deadline: float | None = None
        self._give_up_at = 0.0

    @property
    def has_begun(self) -> bool:
        """A signal has come, or there is no point in going on."""
        return self._deadline is not None

    def begin(self, now: float) -> str:
        """Begin, or end the grace when it has begun already; return the words for the log."""
        if self._deadline is None:
            self._deadline = now + self._grace_seconds
            self._give_up_at = self._deadline + FAREWELL_SECONDS
            return "stops after the running jobs; a second signal ends it at once"
        self._deadline = min(self._deadline, now)
        self._give_up_at = now + FAREWELL_AT_ONCE_SECONDS
        return "ends at once"

    def grace_is_over(self, now: float) -> bool:
        """Running jobs are ended now."""
        return self._deadline is not None and now >= self._deadline

    def has_given_up(self, now: float) -> bool:
        """What could not be given back by now stays in its list, under its heartbeat, for a reaper."""
        return self._deadline is not None and now >= self._give_up_at

    def next_due(self, now: float) -> float:
        """The next instant at which one of these changes; infinity when none will."""
        if self._deadline is None:
            return math.inf
        return min((at for at in (self._deadline, self._give_up_at) if at > now), default=math.inf)
