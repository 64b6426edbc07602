"""Passes kept fresh while somebody looks: one thread for a console process, none while nobody does.

Owns: when a pass is made and how old one may be. Refuses: to run before the first look or long after the last
one, and to hide that the server is away: a look gets the error that its pass got.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Event, Lock, Thread

from dashboard.inspector.passes import Pass, Surveyor
from dashboard.queue.errors import QueueError

INTERVAL_SECONDS = 2.0
"""A pass at least this often: the age that sums over workers may have on a page."""

QUICK_SECONDS = 0.5
"""The pause after a cheap pass: a small installation is seen almost as it is."""

CHEAP_SHARE = 0.05
"""Share of a processor up to which passes come more often than they must."""

CHEAP_SECONDS = 0.05
"""Processor time up to which a pass may be made within a page."""

IDLE_SECONDS = 30.0
"""Without a look for this long the thread ends."""

COST_SHARE = 0.2
"""Share of a processor that passes never exceed: a very costly one makes the pause longer."""

REFUSED_SECONDS = 1.0
"""A failed pass answers looks for this long, so that they do not queue up for one time-out after another."""


class Collector:
    """Gives the latest pass to whoever asks. Without `interval_seconds` pauses follow the cost of passes.

    `beside` is called by the thread after its passes, never by a page.
    """

    def __init__(
        self,
        surveyor: Surveyor,
        interval_seconds: float | None = None,
        beside: Callable[[], None] = lambda: None,
    ) -> None:
        self._surveyor, self._beside = surveyor, beside
        self._interval_seconds = interval_seconds
        self._lock = Lock()
        self._pass: Pass | None = None
        self._made_at = float("-inf")
        self._began_at = float("-inf")
        self._expired_at = float("-inf")
        self._looked_at = float("-inf")
        self._failure: tuple[float, QueueError] | None = None
        self._cost_seconds = 0.0
        self._thread: Thread | None = None
        self._process_id = 0
        self._ended = Event()

    def latest(self) -> Pass:
        """Return a pass that is at most two seconds old (older where passes are costly).

        Makes one itself when there is none, and sees to it that the thread runs. Raises ServerAway and
        ServerRefused.
        """
        self._looked_at = time.monotonic()
        self._see_to_thread()
        found = self._pass
        if found is not None and self._age() <= self._pause() + QUICK_SECONDS:
            return found
        with self._lock:
            if self._pass is not None and self._age() <= self._pause():
                return self._pass
            return self._make()

    def newer(self) -> Pass:
        """Return a pass made now where that is cheap, for a page that saw that the latest cannot be right."""
        with self._lock:
            if self._pass is not None and self._cost_seconds > CHEAP_SECONDS:
                return self._pass
            return self._make()

    def expire(self) -> None:
        """Make the next look see everything anew: an act has just changed who holds what."""
        self._expired_at = time.monotonic()

    def close(self) -> None:
        """End the thread. A later look starts it again."""
        thread, self._thread = self._thread, None
        self._ended.set()
        if thread is not None and thread.is_alive():
            thread.join(timeout=5.0)

    def _make(self) -> Pass:
        if self._failure is not None and time.monotonic() - self._failure[0] < REFUSED_SECONDS:
            raise self._failure[1]
        self._began_at = time.monotonic()
        spent = time.thread_time()
        try:
            self._pass = self._surveyor.survey()
        except QueueError as error:
            self._failure = (time.monotonic(), error)
            raise
        self._failure = None
        self._made_at = time.monotonic()
        self._cost_seconds = time.thread_time() - spent
        return self._pass

    def _pause(self) -> float:
        if self._interval_seconds is not None:
            return self._interval_seconds
        quick = max(QUICK_SECONDS, self._cost_seconds / CHEAP_SHARE)
        return max(min(quick, INTERVAL_SECONDS), self._cost_seconds / COST_SHARE)

    def _age(self) -> float:
        """Return how old the pass is; one that began before an act is too old at any age."""
        return float("inf") if self._began_at <= self._expired_at else time.monotonic() - self._made_at

    def _see_to_thread(self) -> None:
        """Start the thread where there is none: at the first look, after idling, and in a forked process."""
        thread = self._thread
        if thread is not None and thread.is_alive() and self._process_id == os.getpid():
            return
        self._process_id = os.getpid()
        self._ended = Event()
        self._thread = Thread(
            target=self._run, args=(self._ended,), name="watchkeeper-collector", daemon=True
        )
        self._thread.start()

    def _run(self, ended: Event) -> None:
        while not ended.wait(self._pause()):
            if time.monotonic() - self._looked_at > IDLE_SECONDS:
                return
            with self._lock:
                if self._age() < self._pause() / 2:
                    continue
                try:
                    self._make()
                    self._beside()
                except QueueError:
                    continue
