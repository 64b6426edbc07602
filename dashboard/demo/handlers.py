"""What the demo's supervised workers do: they send mail and call webhooks, or pretend to.

Owns: two handlers with the times and the failures of real life. Refuses: to speak to anything but the
demo's Redis, where each finished id is noted, so that every job can be accounted for.
"""

from __future__ import annotations

import os
import random
import time
from typing import Final

import redis

from dashboard.queue.job import Job

MAIL_SECONDS: Final = (0.05, 0.3)
WEBHOOK_SECONDS: Final = (0.1, 0.4)
NEVER: Final = "hooks.partner.example"
"""A host that is down for good: its jobs end among the dead letters."""
TWICE: Final = "api.warehouse.example"
"""A host that fails the first run of every job and takes the second."""
NOTED: Final = "demo:done:"
"""Prefix of the set of finished ids of one queue; no part of the queue."""

_clients: dict[int, redis.Redis] = {}


class ConnectTimeout(Exception):
    """The other side did not take the connection in time."""


class ReadTimeout(Exception):
    """The other side took the request and did not answer in time."""


class HTTPStatusError(Exception):
    """The other side answered with a refusal."""


class BadAddress(ValueError):
    """A mail address that no server will take."""


def mail(job: Job) -> None:
    """Send one mail in 50 to 300 ms."""
    time.sleep(random.uniform(*MAIL_SECONDS))
    recipient = str(member(job, "to"))
    if "@" not in recipient:
        raise BadAddress(f"550 5.1.3 {recipient!r} is not a mailbox")
    note(b"mail", job)


def webhook(job: Job) -> None:
    """Call one webhook; whether that works is a matter of its host."""
    time.sleep(random.uniform(*WEBHOOK_SECONDS))
    host = str(member(job, "url")).removeprefix("https://").partition("/")[0]
    if host == NEVER:
        refuse(host, str(job.id))
    if host == TWICE and job.attempts == 0:
        raise HTTPStatusError(f"503 Service Unavailable from https://{host}/events")
    note(b"webhooks", job)


def refuse(host: str, seed: str) -> None:
    """Raise one of the errors of a host that is down, always the same for the same job."""
    errors: tuple[Exception, ...] = (
        ConnectTimeout(f"{host}:443 after 10.0s"),
        ReadTimeout(f"{host}:443, no answer for 30.0s"),
        HTTPStatusError(f"502 Bad Gateway from https://{host}/hooks"),
    )
    raise random.Random(seed).choices(errors, weights=(6, 2, 2))[0]


def member(job: Job, name: str) -> object:
    """One member of the payload, "" when there is none."""
    return job.payload.get(name, "") if isinstance(job.payload, dict) else ""


def note(queue: bytes, job: Job) -> None:
    """Write down that a job is done: the side effect, a set, so that a second run does no harm."""
    client = _clients.get(os.getpid())
    if client is None:
        client = _clients[os.getpid()] = redis.Redis.from_url(os.environ["REDIS_URL"])
    client.sadd(NOTED + queue.decode(), str(job.id))
