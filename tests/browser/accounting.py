"""Where every job of a demo is, read in one instant: the five keys, the trash, the side effects."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import redis

from dashboard.demo.handlers import NOTED
from dashboard.demo.ledger import FED, FEEDER
from dashboard.queue.keys import QueueKeys, scan_pattern
from tests.support.processes import wait_until


@dataclass
class Account:
    """One queue at one instant: ids handed in, ids done, and how often each id stands in a key."""

    fed: set[str]
    done: set[str]
    places: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def standing(self) -> Counter[str]:
        """How often each id stands anywhere in the queue's keys or the trash."""
        return sum(self.places.values(), Counter())

    @property
    def lost(self) -> set[str]:
        """Ids that were handed in, were not done and stand nowhere."""
        return self.fed - self.done - set(self.standing)

    @property
    def doubled(self) -> set[str]:
        """Ids that stand in more than one place, or twice in one."""
        return {job_id for job_id, count in self.standing.items() if count > 1}

    @property
    def strange(self) -> set[str]:
        """Ids that nobody handed in."""
        return (set(self.standing) | self.done) - self.fed


def stop_feeding(client: redis.Redis) -> None:
    """Let the demo's feeder rest, and wait until it says that it does."""
    client.set(FEEDER, "stop")
    wait_until(lambda: client.get(FEEDER) == b"stopped", 10, "the feeder rests")


def account(client: redis.Redis, queue: bytes) -> Account:
    """Read one queue in one transaction; the feeder rests, so that nothing is between two books."""
    keys = QueueKeys(queue)
    processing: list[bytes] = list(client.scan_iter(match=scan_pattern(queue), count=1000))
    pipe = client.pipeline(transaction=True)
    pipe.smembers(FED + queue.decode())
    pipe.smembers(NOTED + queue.decode())
    pipe.lrange(keys.pending, 0, -1)
    pipe.zrange(keys.delayed, 0, -1)
    pipe.lrange(keys.dead, 0, -1)
    pipe.xrange(keys.trash)
    for key in processing:
        pipe.lrange(key, 0, -1)
    fed, done, pending, delayed, dead, trash, *held = pipe.execute()
    found = Account({one.decode() for one in fed}, {one.decode() for one in done})
    found.places = {
        "pending": ids(pending),
        "delayed": ids(delayed),
        "dead": ids(dead),
        "trash": ids([fields[b"raw"] for _, fields in trash]),
        "processing": ids([raw for raws in held for raw in raws]),
    }
    return found


def ids(raws: list[bytes]) -> Counter[str]:
    """The ids of jobs, counted."""
    return Counter(str(json.loads(raw)["id"]) for raw in raws)


def find(client: redis.Redis, key: str, job_id: str) -> dict[str, Any] | None:
    """The job with this id in a list, None when it is not there."""
    raws: Any = client.lrange(key, 0, -1)
    return next((job for raw in raws if (job := json.loads(raw))["id"] == job_id), None)
