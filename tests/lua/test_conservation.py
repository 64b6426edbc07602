"""I1: whatever scripts are called in whatever order, every job stays in exactly one place."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
import redis

from dashboard.queue.address import Act, Address
from dashboard.queue.answers import Code
from dashboard.queue.job import bump, digest, set_attempts, splice
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.support.keyspace import snapshot
from tests.support.odd_jobs import odd_jobs
from tests.support.standing_queue import NOW

WORKERS = [b"w1", b"w 2\n", b"\xff3"]
STEPS = 100


def sign(raw: bytes) -> str:
    """What stays of a job when its counter, its error and spaces at its end change."""
    raw = splice(raw, {"error": None})
    renewed = set_attempts(raw, 0)
    counted = bump(renewed) if renewed is not None else None  # so that a job without a counter has one
    return digest((counted[0] if counted else raw).rstrip(b" "))


def is_recognised(raw: bytes) -> bool:
    """Whether `sign` knows a job again: broken ones that look whole to the counter alone it does not."""
    bumped = (bump(raw) or (raw, 0))[0]
    failed = splice(bumped, {"error": "a"})
    return sign(raw) == sign(bumped) == sign(failed) == sign((bump(failed) or (failed, 0))[0])


class Walk:
    """A random walk of calls over one queue, and a count of the jobs that must be there."""

    def __init__(self, client: redis.Redis, q: QueueKeys, seed: int) -> None:
        self.client, self.q, self.dice = client, q, random.Random(seed)
        self.now = NOW
        self.jobs: Counter[str] = Counter()
        self.fresh = [b"", b"x", b'{"attempts":0}', b"\0watchkeeper:removed", *odd_jobs(60, seed)]
        self.fresh = [raw for raw in self.fresh if len(raw) < 3000 and is_recognised(raw)]
        self.act_ids = [f"act-{n}" for n in range(8)] + [""] * 12

    @property
    def scripts(self) -> Scripts:
        """The scripts at the walk's own time."""
        return Scripts(self.client, now=self.now)

    def step(self) -> str:
        """Make one random call and return its name."""
        calls = (
            "enqueue enqueue_at enqueue_once claim claim settle fail release beat retire requeue promote "
            "revive_one revive_oldest bury take discard restore purge pause wait odd"
        ).split()
        name = self.dice.choice(calls)
        getattr(self, name)()
        return name

    def act(self) -> Act:
        return Act("ann", self.dice.choice(self.act_ids))

    def worker(self) -> bytes:
        return self.dice.choice(WORKERS)

    def some(self) -> list[bytes]:
        return [self.dice.choice(self.fresh) for _ in range(self.dice.randint(1, 4))]

    def held(self, worker: bytes) -> list[bytes]:
        raws: Any = self.client.lrange(self.q.processing(worker), 0, -1)
        return [raw for raw in reversed(raws) if self.dice.random() < 0.7] + self.some()[
            : self.dice.randint(0, 1)
        ]

    def seen(self, place: str, worker: bytes | None = None) -> Address | None:
        key = self.q.processing(worker) if worker is not None else getattr(self.q, place)
        entries = self.scripts.peek(key, 0, -1, 10).entries
        if not entries:
            return None
        entry = self.dice.choice(entries)
        hint = max(0, entry.hint + self.dice.choice([0, 0, 0, 1, -1, 5]))
        return Address(place, entry.length, entry.digest, hint, entry.score, worker)

    def enqueue(self) -> None:
        raws = self.some()
        self.scripts.enqueue(self.q, raws)
        self.jobs.update(map(sign, raws))

    def enqueue_at(self) -> None:
        raws = self.some()
        answer = self.scripts.enqueue_at(self.q, [(raw, f"+{self.dice.randint(0, 60)}") for raw in raws])
        self.jobs.update(sign(raw) for place, raw in enumerate(raws) if place not in answer.conflicts)

    def enqueue_once(self) -> None:
        raw = self.dice.choice(self.fresh)
        answer = self.scripts.enqueue_once(
            self.q, raw, due=self.dice.choice([None, "+9"]), dedup=self.dice.choice([b"k1", b"k2", b"k3"]),
            mark=b"t 1", mark_ms=self.dice.choice([1, 60_000]),
        )  # fmt: skip
        self.jobs.update([sign(raw)] if answer.code is Code.ENQUEUED else [])

    def claim(self) -> None:
        self.scripts.claim(self.q, self.worker(), self.dice.randint(0, 6))

    def settle(self) -> None:
        worker = self.worker()
        raws = self.held(worker)
        answer = self.scripts.settle(self.q, worker, 1, raws, self.dice.randint(0, 3))
        acked = [raw for place, raw in enumerate(raws) if place not in answer.lost]
        assert len(acked) == answer.acked_count
        self.jobs.subtract(map(sign, acked))

    def fail(self) -> None:
        worker = self.worker()
        for raw in self.held(worker)[:2]:
            new_raw = splice((bump(raw) or (raw, 0))[0], {"error": self.dice.choice("ab")})
            delay_ms = self.dice.choice([None, 0, 5000])
            self.scripts.fail(self.q, worker, raw, new_raw, delay_ms=delay_ms, error="e")

    def release(self) -> None:
        worker = self.worker()
        self.scripts.release(self.q, worker, self.held(worker))

    def beat(self) -> None:
        self.scripts.beat(self.q, self.worker(), token=self.dice.choice(["", "t1", "t2"]))

    def retire(self) -> None:
        self.scripts.retire(self.q, self.worker(), token=self.dice.choice(["", "t1"]))

    def requeue(self) -> None:
        worker, why = self.worker(), self.dice.choice(["stale", "operator", "child-exit"])
        beat: Any = self.client.hget(self.q.heartbeats, worker)
        evidence = (
            self.dice.choice([b"t1", b"t2"]) if why == "child-exit" else self.dice.choice([beat, beat, None])
        )
        self.scripts.requeue(
            self.q, worker, why=why, evidence=evidence, defaults=Policy(), act=self.act(),
            limit=self.dice.choice([1, 3, 100]),
        )  # fmt: skip

    def promote(self) -> None:
        seen = self.seen("delayed")
        if seen and self.dice.random() < 0.4:
            self.scripts.promote_one(self.q, seen, self.act())
        elif seen and self.dice.random() < 0.4:
            self.scripts.reschedule(self.q, seen, self.now + self.dice.randint(-5, 50), self.act())
        else:
            self.scripts.promote_due(self.q, act=self.act(), limit=self.dice.choice([1, 3, 100]))

    def revive_one(self) -> None:
        if seen := self.seen("dead"):
            self.scripts.revive_one(self.q, seen, self.act(), keep_attempts=self.dice.random() < 0.5)

    def revive_oldest(self) -> None:
        bound, skip = self.dice.randint(0, 12), self.dice.randint(0, 3)
        self.scripts.revive_oldest(
            self.q, bound=bound, skip=skip, limit=self.dice.randint(1, 9), act=self.act()
        )

    def bury(self) -> None:
        if seen := self.seen("pending"):
            self.scripts.bury(self.q, seen, self.act())

    def take(self) -> None:
        if seen := self.seen("processing", self.worker()):
            self.scripts.take(self.q, seen, self.act(), Policy())

    def discard(self) -> None:
        place = self.dice.choice(["pending", "dead", "delayed", "processing"])
        if seen := self.seen(place, self.worker() if place == "processing" else None):
            self.scripts.discard(self.q, seen, self.act(), defaults=Policy(), trash_count=1_000_000)

    def trash_id(self) -> tuple[str, bytes] | None:
        entries: Any = self.client.xrange(self.q.trash)
        if not entries:
            return None
        entry_id, fields = self.dice.choice(entries)
        return entry_id.decode(), fields[b"raw"]

    def restore(self) -> None:
        if entry := self.trash_id():
            self.scripts.restore(self.q, entry[0], self.act())

    def purge(self) -> None:
        if self.dice.random() < 0.2 and (entry := self.trash_id()):
            answer = self.scripts.purge(self.q, Act("ann"), trash_id=entry[0])
            assert (answer.code, answer.count) == (Code.PURGED, 1)
            self.jobs.subtract([sign(entry[1])])

    def pause(self) -> None:
        self.dice.choice([self.scripts.pause, self.scripts.resume])(self.q, self.act())

    def wait(self) -> None:
        self.now += self.dice.choice([1.0, 10.0, 40.0])

    def odd(self) -> None:
        fields: dict[Any, Any] = {
            self.dice.choice(["max_attempts", "stale_after_seconds"]): self.dice.choice(["0", "5", "nan"])
        }
        self.client.hset(self.q.policy, mapping=fields)

    def there(self) -> Counter[str]:
        """The jobs that are there, in whatever place."""
        state = snapshot(self.client, self.q)
        raws: list[bytes] = [*state.get("pending", []), *state.get("dead", [])]
        for part, value in state.items():
            raws += value if part.startswith("processing:") else []
        raws += [member for member, _ in state.get("delayed", [])]
        raws += [fields[b"raw"] for fields in state.get("trash", [])]
        return Counter(map(sign, raws))


@pytest.mark.parametrize("seed", range(10))
def test_a_random_walk_over_all_scripts_loses_and_doubles_no_job(
    client: redis.Redis, q: QueueKeys, seed: int
) -> None:
    walk = Walk(client, q, seed)
    trail = []
    for _ in range(STEPS):
        trail.append(walk.step())
        assert walk.there() == +walk.jobs, trail[-5:]
    assert len(set(trail)) > 15
