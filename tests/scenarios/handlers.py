"""Handlers of the scenarios' processes; the server that they note their runs on is that of RUNS_URL."""

from __future__ import annotations

import time

from dashboard.queue.job import Job
from tests.queue.handlers import runs


def one_in_500_raises(job: Job) -> None:
    """Raise for every 500th job and note when; note the others as run."""
    if int(str(job.id)) % 500 == 0:
        runs().rpush("tried", f"{job.id} {time.time():.3f}")
        raise ValueError("one in 500")
    runs().rpush("ran", str(job.id))
