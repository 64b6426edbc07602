"""The storm: a random schedule of signals to a crew, repeatable by its seed.

Owns: whom it strikes with what and when, thawing, and counting. Refuses: to judge.
"""

from __future__ import annotations

import heapq
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.chaos.crew import Crew, send

TICK_SECONDS = 0.03
STALL_SECONDS = 1.0
"""When a tick comes so much late, the machine gave nobody time."""


@dataclass(frozen=True, slots=True)
class Strike:
    """Something that may happen to a role. `freeze_seconds` is the span of a SIGSTOP's length."""

    weight: float
    role: str
    deed: str
    freeze_seconds: tuple[float, float] = (0.0, 0.0)


SHORT, LONG = (0.1, 1.0), (4.5, 6.0)
"""Freezes that must stay without effect under a threshold of 3 s and beats of 1 s, and ones that must not."""

STRIKES = (
    Strike(50, "child", "SIGKILL"),
    Strike(6, "child", "SIGTERM"),
    Strike(5, "child", "SIGSTOP", SHORT),
    Strike(2, "child", "SIGSTOP", LONG),
    Strike(5, "supervisor", "SIGKILL"),
    Strike(3, "supervisor", "SIGTERM"),
    Strike(2, "supervisor", "SIGSTOP", SHORT),
    Strike(1, "supervisor", "SIGSTOP", LONG),
    Strike(6, "worker", "SIGKILL"),
    Strike(1, "worker", "SIGTERM"),
    Strike(1, "worker", "SIGSTOP", SHORT),
    Strike(1, "worker", "SIGSTOP", LONG),
    Strike(4, "janitor", "SIGKILL"),
    Strike(1, "janitor", "SIGTERM"),
    Strike(1, "janitor", "SIGSTOP", SHORT),
    Strike(1, "janitor", "SIGSTOP", LONG),
    Strike(1, "producer", "SIGKILL"),
)


class Storm:
    """Strikes the members of `crew` about `per_second` times a second."""

    def __init__(
        self, crew: Crew, seed: int, *, per_second: float, strikes: tuple[Strike, ...] = STRIKES
    ) -> None:
        self._crew, self._chance = crew, random.Random(seed)
        self._per_second, self._strikes = per_second, strikes
        self._thaws: list[tuple[float, int]] = []
        self.tally: Counter[str] = Counter()

    def rage(
        self,
        seconds: float,
        meanwhile: Callable[[], object] = lambda: None,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        """Strike for that long, or until the condition holds; `meanwhile` is called at every tick."""
        next_at = time.monotonic()
        ends_at = next_at + seconds
        while (now := time.monotonic()) < ends_at and not until():
            self._thaw(now)
            if self._per_second and now >= next_at:
                self.strike()
                next_at = now + self._chance.expovariate(self._per_second)
            self._crew.tend()
            meanwhile()
            self.tick()

    def tick(self) -> None:
        """Sleep for a moment, and write down when it took far longer."""
        before = time.monotonic()
        time.sleep(TICK_SECONDS)
        if time.monotonic() - before - TICK_SECONDS > STALL_SECONDS:
            self._crew.journal.write("stall", before)

    def strike(self) -> None:
        """Do one thing to one process, if there is one to do it to."""
        (strike,) = self._chance.choices(self._strikes, [one.weight for one in self._strikes])
        living = sorted(self._crew.pids(strike.role))
        frozen = {pid for _, pid in self._thaws}
        if strike.deed == "SIGSTOP":
            living = [pid for pid in living if pid not in frozen]
        if not living:
            return
        pid = self._chance.choice(living)
        what = strike.deed if strike.freeze_seconds != LONG else "SIGSTOP over the threshold"
        self.tally[f"{strike.role} {what}"] += 1
        if strike.deed == "SIGKILL":
            self._forget(pid)
            self._crew.kill(pid, f"{strike.role}-at-random")
        elif strike.deed == "SIGTERM":
            send(pid, signal.SIGTERM)
        else:
            self._crew.journal.write("stop", pid=pid)
            send(pid, signal.SIGSTOP)
            heapq.heappush(
                self._thaws, (time.monotonic() + self._chance.uniform(*strike.freeze_seconds), pid)
            )

    def calm(self) -> None:
        """Thaw everybody."""
        self._thaw(float("inf"))

    def _forget(self, pid: int) -> None:
        if any(pid == frozen for _, frozen in self._thaws):
            self._thaws = sorted(thaw for thaw in self._thaws if thaw[1] != pid)
            self._crew.journal.write("cont", pid=pid)

    def _thaw(self, now: float) -> None:
        while self._thaws and self._thaws[0][0] <= now:
            _, pid = heapq.heappop(self._thaws)
            self._crew.journal.write("cont", pid=pid)
            send(pid, signal.SIGCONT)
