"""The handler that does nothing, so that only the queue is measured."""

from __future__ import annotations

from dashboard.queue.job import Job


def nothing(job: Job) -> None:
    """Accept the job."""
