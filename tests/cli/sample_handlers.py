"""Handlers for tests of `watchkeeper worker`; each notes what it did in Redis."""

from __future__ import annotations

import os
import time

import redis

from dashboard.queue.job import Job


def client() -> redis.Redis:
    """The server of the test."""
    return redis.Redis.from_url(os.environ["REDIS_URL"])


def note(job: Job) -> None:
    """Write the id down."""
    client().sadd("done", str(job.id))


def take_long(job: Job) -> None:
    """Say that it began, take a second and a half, write the id down."""
    client().sadd("begun", str(job.id))
    time.sleep(1.5)
    client().sadd("done", str(job.id))


def raise_always(job: Job) -> None:
    """Fail."""
    raise ConnectionError(f"job {job.id}: the other side hung up")


def take_very_long(job: Job) -> None:
    """Say that it began, and never come to an end."""
    client().sadd("begun", str(job.id))
    time.sleep(600)
