"""Jobs for tests of the command line, as the wire contract has them."""

from __future__ import annotations

import json
from typing import Any

import redis


def job(job_id: object, attempts: int = 0, **members: object) -> bytes:
    """The bytes of a job."""
    return json.dumps(members | {"id": job_id, "payload": {"n": job_id}, "attempts": attempts}).encode()


def ids(client: redis.Redis, key: str) -> list[Any]:
    """The ids in a list, right end (oldest, or next to run) first."""
    raws: Any = client.lrange(key, 0, -1)
    return [json.loads(raw)["id"] for raw in reversed(raws)]


def members(client: redis.Redis, key: str) -> list[dict[str, Any]]:
    """The jobs of a list, right end first."""
    raws: Any = client.lrange(key, 0, -1)
    return [json.loads(raw) for raw in reversed(raws)]
