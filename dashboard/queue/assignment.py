"""What a worker serves: its queues, the highest priority first, and their weights.

Owns: the check that they fit together. Refuses: to know who works.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.queue.errors import BadAssignment
from dashboard.queue.keys import QueueKeys, readable

WEIGHT_MAX = 1000


@dataclass(frozen=True)
class Assignment:
    """One queue or several. Without `weights` a lower one waits for as long as a higher one has jobs."""

    queues: tuple[QueueKeys, ...]
    weights: tuple[int, ...] | None = None

    @classmethod
    def of(cls, queues: bytes | str | Sequence[bytes | str], weights: Sequence[int] | None) -> Assignment:
        """Return the assignment, or raise BadAssignment, BadName or ReservedName with one sentence."""
        names = [queues] if isinstance(queues, bytes | str) else queues
        keys = tuple(QueueKeys(name) for name in names)
        if not keys:
            raise BadAssignment("A worker needs at least one queue.")
        for place, one in enumerate(keys):
            if one in keys[:place]:
                raise BadAssignment(f"The queue {readable(one.queue)} is named twice. Name each queue once.")
        if weights is None:
            return cls(keys)
        if len(weights) != len(keys):
            raise BadAssignment(
                f"The number of weights, {len(weights)}, is not that of the queues, {len(keys)}. "
                "Give each queue a weight, in their order, or none at all."
            )
        for weight in weights:
            if not 1 <= weight <= WEIGHT_MAX:
                raise BadAssignment(f"A weight is a whole number from 1 to {WEIGHT_MAX}; {weight} is none.")
        return cls(keys, tuple(weights))

    @property
    def names(self) -> str:
        """The queues as text for a log line."""
        return ", ".join(readable(one.queue) for one in self.queues)
