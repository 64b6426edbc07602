"""How long a job may run: an alarm that goes off inside its handler.

Owns: the alarm, the exception that it raises, and that a job over its limit never counts as done. Refuses:
threads, in which no alarm goes off, and to end a process: what swallows the exception or holds the
interpreter's lock is ended by the supervisor, `MARGIN_SECONDS` later.

The alarm is SIGALRM with the process's one timer for it; a handler that sets that timer itself goes without
ours. In an async handler the alarm cancels the task that awaits it.
"""

from __future__ import annotations

import asyncio
import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from dashboard.queue.errors import BadTimeLimit

SECONDS_MIN = 0.1
SECONDS_MAX = 7 * 86_400.0

MARGIN_SECONDS = 3.0
"""What a handler gets to clean up after the exception, before its supervisor ends the process."""


class TimeLimitExceeded(BaseException):
    """The job has run for too long. Raised once, wherever its handler is just then.

    It is no Exception: handlers catch those in order to try again, and what is tried again inside one job is
    just what a limit is to end.
    """


def checked(seconds: float | None) -> float | None:
    """Return a limit in seconds, None for none, or raise BadTimeLimit."""
    if seconds is not None and not (math.isfinite(seconds) and SECONDS_MIN <= seconds <= SECONDS_MAX):
        raise BadTimeLimit(
            f"A time limit is {SECONDS_MIN:g} to {SECONDS_MAX:,.0f} seconds; {seconds} is none. "
            "Leave it out where jobs may take as long as they like."
        )
    return seconds


def check_thread() -> None:
    """Raise BadTimeLimit outside the main thread: a limit that nothing keeps is refused, not passed over."""
    if threading.current_thread() is not threading.main_thread():
        raise BadTimeLimit(
            "A time limit needs the main thread of the process: only there can a running job be interrupted. "
            "Call `run` in the main thread, or use a Supervisor. No job was touched."
        )


def sentence(seconds: float) -> str:
    """Return what is said of a job that ran for too long; it goes on from "it was", or stands alone."""
    return f"over its time limit of {seconds:g} s"


class TimeLimit:
    """Keeps one limit for the jobs of a process, one job at a time. For the main thread."""

    def __init__(self, seconds: float) -> None:
        check_thread()
        self._seconds = seconds
        self._is_armed = self._is_over = False
        self._task: asyncio.Task[object] | None = None

    def keep(self, run: Callable[[], None]) -> None:
        """Call `run`, and raise TimeLimitExceeded once it takes longer than the limit.

        What a handler makes of the exception, or that it swallows it, changes nothing: the job is over its
        limit, and that is the error.
        """
        # Each time anew: handlers may have set both for themselves.
        signal.signal(signal.SIGALRM, self._ring)
        self._is_over, self._is_armed = False, True
        signal.setitimer(signal.ITIMER_REAL, self._seconds)
        try:
            run()
        except BaseException as error:
            self._disarm()
            if self._is_over and not isinstance(error, TimeLimitExceeded):
                raise self._exceeded() from error
            raise
        self._disarm()
        if self._is_over:
            raise self._exceeded()

    @contextmanager
    def cancelling(self) -> Iterator[None]:
        """Have the alarm end the current asyncio task, rather than the loop that it stands in."""
        self._task = asyncio.current_task()
        try:
            yield
        finally:
            self._task = None

    def _disarm(self) -> None:
        self._is_armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _: int, __: FrameType | None) -> None:
        if not self._is_armed:
            return
        self._is_armed, self._is_over = False, True
        task = self._task
        if task is None:
            raise self._exceeded()
        loop = task.get_loop()
        if asyncio.current_task(loop) is task:
            # In the handler's own lines, which may not come to an await for long.
            raise self._exceeded()
        loop.call_soon_threadsafe(task.cancel)

    def _exceeded(self) -> TimeLimitExceeded:
        return TimeLimitExceeded(f"the job was {sentence(self._seconds)}")
