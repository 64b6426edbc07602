"""A process that runs one supervisor after the other, as it is told to: Python starts slowly.

`python -m tests.faults.crew URL`: takes orders from the list `orders`, each a URL, and answers each in
`outcomes` with the exit code or the error.
"""

from __future__ import annotations

import os
import signal
import sys

import redis

from dashboard.queue.factory import ServerFactory
from dashboard.queue.job import Job
from dashboard.queue.supervisor import Supervisor
from tests.queue.handlers import runs
from tests.queue.running import POLICY

QUEUE = "q"
ORDERS, OUTCOMES, BEGAN = "orders", "outcomes", "began"
GRACE_SECONDS = 8


def perform(job: Job) -> None:
    """Note the run. The job "dies" ends its process in its first run; the last one stops the supervisor."""
    runs().rpush(BEGAN, f"{job.id} {job.attempts}")
    if job.id == "dies" and job.attempts == 0:
        os._exit(3)
    if job.id == "last":
        os.kill(os.getppid(), signal.SIGTERM)


def main(url: str) -> None:
    """Take orders until killed."""
    while True:
        with redis.Redis.from_url(url, protocol=2) as client:
            _, order = client.blpop([ORDERS], 0)
        outcome = run(order.decode())
        with redis.Redis.from_url(url, protocol=2) as client:
            client.rpush(OUTCOMES, outcome)


def run(url: str) -> str:
    """Run one supervisor to its end; "0" when it went well."""
    supervisor = Supervisor(
        ServerFactory.from_url(url), QUEUE, "tests.faults.crew:perform", defaults=POLICY, block_seconds=0.2,
        grace_seconds=GRACE_SECONDS,
    )  # fmt: skip
    try:
        return str(supervisor.run())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(sys.argv[1])
