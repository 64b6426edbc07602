"""What a page would have drawn: jobs, and the address and one-time id of each row.

Owns: builders for the tests of this folder.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

import redis

from dashboard.queue.address import Address
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts

MAIL = QueueKeys("mail")
ROW = tuple[Address, str]


def job(job_id: object, *, payload: object = None, attempts: object = 3) -> bytes:
    """A job as the simplest producer writes it."""
    return json.dumps({"id": job_id, "payload": payload, "attempts": attempts}).encode()


def act_id() -> str:
    """The one-time id of a form that has just been drawn."""
    return secrets.token_hex(16)


def row(client: redis.Redis, place: str, raw: bytes, *, worker: bytes | None = None, nth: int = 0) -> ROW:
    """The row of an entry where it stands now; `nth` tells equal ones apart, from the right end."""
    if place == "delayed":
        entries = Scripts(client).peek(MAIL.delayed, 0, -1, 0).entries
        (entry,) = (entry for entry in entries if entry.digest == digest(raw))
        return Address(place, len(raw), digest(raw), entry.hint, entry.score), act_id()
    key = MAIL.processing(worker) if worker else getattr(MAIL, place)
    hints = [hint for hint, entry in enumerate(reversed(client.lrange(key, 0, -1))) if entry == raw]
    return Address(place, len(raw), digest(raw), hints[nth], None, worker), act_id()


def fill(client: redis.Redis, key: bytes, jobs: list[bytes]) -> None:
    """Push jobs, the first given being the oldest (at the right end)."""
    for start in range(0, len(jobs), 1000):
        client.lpush(key, *jobs[start : start + 1000])


def ids(entries: Any) -> list[object]:
    """The ids of jobs, in the order given; `entries` is what redis-py says that it may answer."""
    return [json.loads(entry)["id"] for entry in entries]
