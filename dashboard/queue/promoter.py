"""The promoter moves delayed jobs that are due into pending.

Owns: how many bounded calls one sweep makes. Refuses: a clock of its own; the script asks the server's.
"""

from __future__ import annotations

import time

from dashboard.queue.address import Act
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts

CALL_JOBS = 100
SWEEP_SECONDS_MAX = 0.5
"""A sweep ends after this, due jobs or not, so that one queue's backlog does not keep the others waiting."""

ACT = Act("janitor")


class Promoter:
    """Sweeps one queue's delayed jobs."""

    def __init__(self, scripts: Scripts, queue: QueueKeys) -> None:
        self._scripts, self._q = scripts, queue

    def sweep(self) -> int:
        """Promote due jobs in due order, for at most half a second; return how many. Raises QueueError."""
        started, promoted = time.monotonic(), 0
        while True:
            answer = self._scripts.promote_due(self._q, limit=CALL_JOBS, act=ACT)
            promoted += answer.count
            if answer.count == 0 or time.monotonic() - started > SWEEP_SECONDS_MAX:
                return promoted
            if answer.count < CALL_JOBS and answer.next_due is None:
                return promoted
