"""One queue in which every key holds something, at a fixed instant: what scripts are tried on.

Owns: its names, its jobs and how they got there. Refuses: to run a script.
"""

from __future__ import annotations

import json

import redis

from dashboard.queue.address import Address
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys

QUEUE = QueueKeys("{mail}")
"""Its name has a hash tag, so that its keys stand together in a cluster too."""

NOW = 1_700_000_000.25
W1, W2 = b"w1", b"w2"
"""W1 is dead: its heartbeat is an hour old. W2 is alive."""

SILENT = b"%d" % (NOW - 3600)
BEATING = b"%d" % NOW
TOKEN = "token-of-w1"
TRASH_ID = "1600000000000-7"


def job(name: str, attempts: int = 0) -> bytes:
    """A job as our producer writes it."""
    return b'{"id":"%s","payload":{"n":1},"attempts":%d}' % (name.encode(), attempts)


def address(
    raw: bytes, place: str, hint: int = 0, score: bytes | None = None, worker: bytes | None = None
) -> Address:
    """Where a job was seen."""
    return Address(place, len(raw), digest(raw), hint, score, worker)


def furnish(client: redis.Redis) -> None:
    """Fill the keys of QUEUE; the first of each place is its oldest."""
    q = QUEUE
    pipe = client.pipeline(transaction=False)
    pipe.lpush(q.pending, job("p1"), job("p2"), job("p3"))
    pipe.lpush(q.processing(W1), job("a1"), job("a2", 3))
    pipe.lpush(q.processing(W2), job("b1"), job("b2"))
    pipe.hset(q.heartbeats, mapping={W1: SILENT, W2: BEATING})
    pipe.zadd(q.delayed, {job("d1", 1): NOW - 60, job("d2", 1): NOW + 60})
    pipe.lpush(q.dead, job("x1", 4), job("x2", 4))
    pipe.hset(q.policy, mapping={"max_attempts": "3"})
    pipe.hset(q.workers, mapping={b"k:" + W1: TOKEN, b"i:" + W1: b'{"pid":1}', b"b:" + W1: b"{}"})
    pipe.hset(q.watch, mapping={W1: b"%d %d %s" % (NOW - 3600, NOW, SILENT)})
    pipe.hset(q.stats, mapping={"enqueued": 9})
    pipe.xadd(q.events, {"event": "first"}, id="1-1")
    trashed = {"raw": job("t1", 4), "place": "dead", "due": "", "worker": "", "by": "ann", "at": "1"}
    pipe.xadd(q.trash, trashed, id=TRASH_ID)  # type: ignore[arg-type]
    pipe.execute()


def answer_of_act(code: str, by: str = "ann", at: float = NOW, count: int = 1) -> dict[str, str]:
    """What `{q}:acts:{id}` holds after an act."""
    return {"at": f"{at:.3f}", "by": by, "code": code, "count": str(count)}


def text_of(record: dict[str, str]) -> str:
    """A record as text."""
    return json.dumps(record)
