"""The design that loses jobs, kept for comparison: a claim that removes the job from Redis.

Owns: the loop that the lesson begins with. Refuses: any use but drills and tests. Between BRPOP and the end
of the handler the job exists in this process only; when the process dies, nothing is left to recover.
"""

from __future__ import annotations

from collections.abc import Callable

import redis

from dashboard.queue.job import Job, decode
from dashboard.queue.keys import QueueKeys


def work_naively(
    client: redis.Redis, queue: bytes | str, handler: Callable[[Job], object], idle_seconds: float = 1.0
) -> int:
    """Run jobs until none has come for `idle_seconds`; return how many ran. An exception ends the loop."""
    pending, ran = QueueKeys(queue).pending, 0
    while True:
        popped: tuple[bytes, bytes] | None = client.brpop([pending], idle_seconds)  # type: ignore[assignment]
        if popped is None:
            return ran
        handler(decode(popped[1]))
        ran += 1
