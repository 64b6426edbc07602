"""Jobs as foreign producers write them, and bytes that are none."""

from __future__ import annotations

import json

import redis

from dashboard.inspector.snapshots import JobList

ODD_ENTRIES = {
    "binary": b"\x80\x04\x95\xff\xfe.",
    "text": b"not json",
    "empty": b"",
    "torn": b'{"id":',
    "array": b"[]",
    "string": b'"text"',
    "number": b"17",
    "null": b"null",
    "none": b"None",
    "no members": b"{}",
    "odd counter": b'{"id":"x","attempts":"three"}',
    "float counter": b'{"id":"x","attempts":1e3}',
    "null id": b'{"id":null,"payload":null}',
    "object id": b'{"id":{"a":[1]},"payload":1}',
    "broken text": b'{"id":"\xff\xfe","payload":1}',
    "deep": b'{"id":"deep","payload":' + b"[" * 5000 + b"]" * 5000 + b',"attempts":1}',
    "lone surrogate": b'{"id":"\\ud800","payload":"\\udfff"}',
    "not a number": b'{"id":"nan","payload":NaN,"attempts":1}',
    "byte order mark": b'\xef\xbb\xbf{"id":"bom","payload":1}',
    "repeated": b'{"id":"1","id":"2","attempts":1,"attempts":2}',
    "markup": b'{"id":"</script><script>alert(1)</script>","payload":"<!--"}',
    "odd instants": b'{"id":"t","enqueued_at":1e999,"failed_at":"soon","payload":1}',
    "odd texts": b'{"id":"e","error":{"a":1},"name":[1],"traceback":7}',
    "megabyte": b'{"id":"big","payload":"' + b"A" * 1_000_000 + b'","attempts":0}',
}
"""Every kind of entry that anybody may push; the keys name the kind."""


def job(job_id: object, payload: object = None, attempts: object = 0, **members: object) -> bytes:
    """Return a job's bytes as json.dumps writes them."""
    return json.dumps({"id": job_id, "payload": payload, "attempts": attempts} | members).encode()


def ids(page: JobList) -> list[str]:
    """Return the ids of a page's rows."""
    return [row.id_text for row in page.rows]


def server_now(client: redis.Redis) -> float:
    """Return the server's clock."""
    seconds, micro = client.time()
    return float(seconds) + float(micro) / 1_000_000


def beat(client: redis.Redis, queue: str | bytes, worker: str | bytes, ago: float = 0.0) -> bytes:
    """Write a heartbeat of so many seconds ago and return its value."""
    value = b"%d" % int(server_now(client) - ago)
    key = (queue if isinstance(queue, bytes) else queue.encode()) + b":heartbeats"
    client.hset(key, worker, value)
    return value


def hold(client: redis.Redis, queue: str, worker: str, *raws: bytes) -> None:
    """Put jobs into a worker's processing list, the first being the oldest."""
    client.lpush(f"{queue}:processing:{worker}", *raws)
