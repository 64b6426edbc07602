"""Which of a worker's queues is asked for jobs first.

Owns: the order of each turn, by rank alone or by weights. Refuses: Redis and clocks; it is told which queue
had jobs, and knows nothing else.

With weights each queue has a mark that a job of it moves up, the less the greater its weight, and the lowest
mark is asked first: under load on all of 6:3:1 every ten jobs are six, three and one, well mixed. The others
follow by rank, so that no turn ends in vain while one of them has jobs.

A queue that has nothing gathers no claims for later: its mark moves along with the queue that is served in
its place. One that ranks lower than that is charged as if it had given as many jobs, or it would be asked
first in every turn for as long as it is empty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


class Rota:
    """The order among `count` queues, the highest rank first. Without weights it never changes."""

    def __init__(self, count: int, weights: Sequence[int] | None = None) -> None:
        self._ranks = list(range(count))
        self._strides = [0] * count
        if weights is not None and count > 1:
            whole = math.lcm(*weights)
            self._strides = [whole // weight for weight in weights]
        self._marks = list(self._strides)

    def order(self) -> list[int]:
        """Return the ranks in the order in which to ask them now."""
        if len(self._ranks) == 1:
            return self._ranks
        first = min(self._ranks, key=self._marks.__getitem__)
        return [first, *(rank for rank in self._ranks if rank != first)]

    def note_served(self, served: int, job_count: int) -> None:
        """Note that the queue of rank `served` had jobs, and those before it in the order none to give."""
        now = self._marks[served]
        for rank in self.order():
            if rank == served:
                break
            charge = job_count * self._strides[rank] if rank > served else 0
            self._marks[rank] = max(self._marks[rank], now) + charge
        self._marks[served] = now + job_count * self._strides[served]

    def note_idle(self) -> None:
        """Note that none had jobs: nobody is owed anything."""
        self._marks = list(self._strides)
