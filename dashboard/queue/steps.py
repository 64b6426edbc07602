"""Work that may be held up: a generator that yields how many seconds to wait before it goes on.

Owns: the type, and driving such work piece by piece. Refuses: to sleep; whoever drives it decides what is
done meanwhile, so that one queue that is held up holds up no other.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

Steps = Generator[float, None, T]
"""Yields seconds, returns a `T`. Closed early, it leaves what is in hand where it is."""


class Task:
    """One piece of work at a time. Its result is a number of jobs."""

    def __init__(self) -> None:
        self._steps: Steps[int] | None = None
        self.resumes_at = 0.0
        """When what is held up is to be gone on with, by `time.monotonic()`."""

    @property
    def is_held_up(self) -> bool:
        """Something was begun that has not ended."""
        return self._steps is not None

    def may_go_on(self, now: float) -> bool:
        """Nothing is held up, or no longer."""
        return self._steps is None or self.resumes_at <= now

    def go_on(self, steps: Steps[int] | None = None) -> int:
        """Take up `steps`, or what was held up; return its jobs when it ends, 0 while it does not."""
        self._steps = self._steps or steps
        if self._steps is None:
            return 0
        try:
            pause_seconds = next(self._steps)
        except StopIteration as end:
            self._steps = None
            return int(end.value)
        self.resumes_at = time.monotonic() + pause_seconds
        return 0

    def close(self) -> None:
        """Leave what was begun as it is."""
        if self._steps is not None:
            self._steps.close()
