"""Handlers for tests of `watchkeeper worker`; each notes what it did in Redis."""

from __future__ import annotations

import multiprocessing
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


def terminate_a_fork(job: Job) -> None:
    """End a forked process by SIGTERM, then go on for four seconds."""
    client().rpush("begun", str(job.id))
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    child.terminate()
    child.join(10)
    child.kill()
    time.sleep(4)
    client().sadd("done", f"{job.id} {child.exitcode}")
