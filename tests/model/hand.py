"""What one worker process of the model knows by itself: the jobs in its hand, whatever Redis says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dashboard.queue.settle_calls import SettleCalls
from dashboard.queue.slot import Slot
from tests.model.jobs import ModelJob


@dataclass(slots=True)
class Hand:
    """One worker. `state`: "absent" (not started, or retired), "live", "frozen" or "dead".

    `todo` waits to be run, oldest first; `done` has been run and not yet acknowledged. `stolen` are the
    copies among both that were given away meanwhile: a frozen worker does not know of it. `beat_at`: its own
    last beat.
    """

    name: bytes
    state: str = "absent"
    token: str = ""
    calls: SettleCalls = field(default_factory=lambda: SettleCalls(Slot()))
    beat_at: float = 0.0
    todo: list[ModelJob] = field(default_factory=list)
    done: list[ModelJob] = field(default_factory=list)
    stolen: Counter[ModelJob] = field(default_factory=Counter)

    @property
    def jobs(self) -> list[ModelJob]:
        """All copies in the hand."""
        return [*self.done, *self.todo]

    def begin(self, token: str) -> None:
        """Another instance under the name: with numbers of its own, all of them higher."""
        number = self.calls.number
        self.empty()
        self.state, self.token, self.calls = "live", token, SettleCalls(Slot())
        self.calls.number = max(number, self.calls.number)

    def empty(self) -> None:
        """It forgets everything."""
        self.todo, self.done, self.stolen = [], [], Counter()

    def rob(self, jobs: Sequence[ModelJob]) -> None:
        """Copies were given away; who is alive or frozen still believes to hold them."""
        if self.state in ("live", "frozen"):
            self.stolen.update(jobs)

    def miss(self, jobs: Iterable[ModelJob]) -> None:
        """Copies left the hand that the list no longer held: stolen before, or lost by a fault."""
        for job in jobs:
            assert self.stolen[job] > 0, "a copy that nobody took away is not held"
            self.stolen[job] -= 1

    def holds_what_is_listed(self, listed: Sequence[ModelJob]) -> bool:
        """I3: the list holds the copies in the hand, but for those that were stolen."""
        if self.state not in ("live", "frozen"):
            return True
        return Counter(self.jobs) == Counter(listed) + self.stolen
