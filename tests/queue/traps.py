"""A handler that leaves a trap behind: after its job, SIGUSR2 holds up the loop for ever, outside a job."""

from __future__ import annotations

import signal
import time

from dashboard.queue.job import Job
from tests.queue.handlers import perform


def lay(job: Job) -> None:
    """Do the job; what its payload says of a trap is laid besides."""
    if isinstance(job.payload, dict) and job.payload.get("trap"):
        signal.signal(signal.SIGUSR2, lambda *_: time.sleep(3600))
    perform(job)
