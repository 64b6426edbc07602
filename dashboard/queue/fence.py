"""How long a worker may still claim and begin jobs of a queue, by its last beat and the queue's policy.

Owns: the policy that a lane goes by, and its age. Refuses: to beat, and to wait for a beat.
"""

from __future__ import annotations

import time

from dashboard.queue.claim_line import ClaimLine
from dashboard.queue.policy import Policy
from dashboard.queue.slot import Slot
from dashboard.queue.steps import Steps

FENCE_SHARE = 0.75
"""Without a beat for this share of the threshold no job is claimed or begun: others may soon take it away."""
POLICY_SECONDS = 5.0
"""How old the policy that a lane goes by may be."""


class Fence:
    """The fence of one worker in one queue. Nobody passes before the first beat."""

    def __init__(self, line: ClaimLine, slot: Slot, defaults: Policy) -> None:
        self._line, self._slot, self._defaults = line, slot, defaults
        self.policy, self._read_at = defaults, 0.0

    def refresh(self) -> Steps[None]:
        """Read the policy when it is due to be."""
        now = time.monotonic()
        if now - self._read_at > POLICY_SECONDS:
            self.policy = yield from self._line.policy(self._defaults)
            self._read_at = now

    def seconds_left(self) -> float:
        """Return the seconds until the fence falls, 0 or less when it has."""
        fence_at = self._slot.beat_at + FENCE_SHARE * self.policy.stale_after_seconds
        return fence_at - time.monotonic() if self._slot.beat_at else 0.0
