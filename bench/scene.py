"""A situation worth looking at, laid into an empty Redis: five queues, two of them in trouble.

Owns: the jobs, workers and ages that the pictures show, and the beats that keep the healthy workers alive
while the pictures are taken. Refuses: to touch a Redis that holds anything.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import redis

from bench.scene_jobs import mails, orders, reports, webhook_dead, webhooks
from bench.scene_traffic import MAKERS, Traffic
from dashboard.queue.keys import BUSY, INSTANCE, QueueKeys, worker_field
from dashboard.queue.policy import Policy

MANAGED = Policy(managed=True)
BEAT_SECONDS = 1.0
CHUNK = 1000

ALIVE = {
    "mail": [f"app-{host}:{770 + number}:{number:02x}9d" for host in (1, 4) for number in (4, 5, 6, 7)],
    "webhooks": [f"app-3:{120 + number}:44{number:02x}" for number in range(8)],
    "reports": [f"rep-1:{31 + number}:aa0{number}" for number in range(4)],
    "thumbnails": ["img-1:12:c0de", "img-1:13:f00d"],
}
STALE = {"app-7:4121:9f3a": 196, "app-7:4122:77c0": 195}
LATE = ("app-2:918:b21e", "app-2:919:77aa")
LATE_CYCLE_SECONDS = 28
"""These two beat this seldom and in turns, so that one of them is late at any time and neither goes stale."""
QUEUES = ("mail", "orders", "reports", "thumbnails", "webhooks")


class Scene:
    """Lays the situation on entering and keeps its healthy workers beating until it is left."""

    def __init__(self, client: redis.Redis) -> None:
        assert not client.dbsize(), "a scene is laid into an empty Redis only"
        self.client = client
        self.now = float(client.time()[0])
        self._over = threading.Event()
        self._breath = threading.Thread(target=self._breathe, daemon=True)

    def __enter__(self) -> Self:
        self._lay()
        self._beat()
        self._breath.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._breath.join(10)

    def _lay(self) -> None:
        for name in QUEUES:
            self.client.hset(
                QueueKeys(name).policy, items=[part for pair in MANAGED.to_hash().items() for part in pair]
            )
        self._push(QueueKeys("orders").pending, orders(self.now, 8120))
        self._push(QueueKeys("orders").dead, orders(self.now, 4, first=61000, attempts=4))
        self._push(QueueKeys("mail").pending, mails(self.now, 1204))
        self._push(QueueKeys("mail").dead, mails(self.now, 2, first=80000, attempts=4))
        self._push(QueueKeys("webhooks").pending, webhooks(self.now, 311))
        self._push(QueueKeys("webhooks").dead, webhook_dead(self.now, 312))
        self._push(QueueKeys("reports").pending, reports(self.now, 12))
        self._delay("orders", orders(self.now, 12, first=90000, attempts=1), first_due=900, step=61)
        self._delay("webhooks", webhooks(self.now, 1902, first=70000, attempts=2), first_due=900, step=2)
        self._delay("mail", mails(self.now, 37, first=95000, attempts=1), first_due=-297, step=8)
        self._delay("mail", mails(self.now, 403, first=95037, attempts=1), first_due=900, step=5)
        self.client.hset(QueueKeys("mail").stats, "promoted_at", int(self.now - 309))
        self._silent()

    def _silent(self) -> None:
        """The workers that nobody hears any more, and a list that nobody owns."""
        keys = QueueKeys("orders")
        held = list(orders(self.now, 5, first=88121))
        for (worker, age), jobs in zip(STALE.items(), (held[:3], held[3:]), strict=True):
            name, value = worker.encode(), b"%d" % (self.now - age)
            self._introduce(keys, worker, started=self.now - 86000)
            self.client.hset(keys.heartbeats, name, value)
            self.client.hset(keys.watch, name, b"%f %f %b" % (self.now - age + 2, self.now, value))
            self._hold(keys, worker, jobs, since=self.now - age - 2)
        mail = QueueKeys("mail")
        for number, worker in enumerate(LATE):
            self._introduce(mail, worker, started=self.now - 40000)
            self._hold(mail, worker, list(mails(self.now, 1, first=90233 + number)), since=self.now - 21)
        self._push(mail.processing(b"w3"), mails(self.now, 1, first=1187))

    def _beat(self) -> None:
        now = float(self.client.time()[0])
        pipe = self.client.pipeline(transaction=False)
        for queue, workers in ALIVE.items():
            for number, worker in enumerate(workers):
                keys, since = QueueKeys(queue), now - 0.2 - number % 3
                pipe.hset(keys.heartbeats, worker, b"%d" % (now - number % 4))
                if queue != "reports":
                    pipe.hset(keys.workers, worker_field(BUSY, worker.encode()), busy(since, 1))
        for queue in QUEUES:
            pipe.hset(QueueKeys(queue).stats, "reaped_at", int(now))
            if queue != "mail":
                pipe.hset(QueueKeys(queue).stats, "promoted_at", int(now))
        for number, worker in enumerate(LATE):
            age = (now - self.now + 16 + number * LATE_CYCLE_SECONDS / 2) % LATE_CYCLE_SECONDS
            pipe.hset(QueueKeys("mail").heartbeats, worker, b"%d" % (now - age))
        pipe.execute()

    def _breathe(self) -> None:
        for queue, workers in ALIVE.items():
            jobs = MAKERS[queue](self.now, len(workers), first=55000)
            for worker, job in zip(workers, jobs, strict=True):
                self._introduce(QueueKeys(queue), worker, started=self.now - 7200)
                self._hold(QueueKeys(queue), worker, [job], since=self.now - 242)
        traffic = Traffic(self.client)
        while not self._over.wait(BEAT_SECONDS):
            self._beat()
            traffic.flow(float(self.client.time()[0]))

    def _introduce(self, keys: QueueKeys, worker: str, started: float) -> None:
        host, pid, token = worker.split(":")
        record = {"token": token, "host": host, "pid": int(pid), "started_at": started}
        record |= {"version": "0.1.0", "process": "supervised", "client_id": int(pid)}
        self.client.hset(keys.workers, worker_field(INSTANCE, worker.encode()), json.dumps(record))

    def _hold(self, keys: QueueKeys, worker: str, jobs: list[bytes], since: float) -> None:
        name = worker.encode()
        self._push(keys.processing(name), iter(jobs))
        self.client.hset(keys.workers, worker_field(BUSY, name), busy(since, len(jobs)))

    def _push(self, key: bytes, jobs: Iterator[bytes]) -> None:
        waiting = list(jobs)
        for start in range(0, len(waiting), CHUNK):
            self.client.lpush(key, *waiting[start : start + CHUNK])

    def _delay(self, queue: str, jobs: Iterator[bytes], first_due: int, step: int) -> None:
        due = {job: self.now + first_due + number * step for number, job in enumerate(jobs)}
        self.client.zadd(QueueKeys(queue).delayed, due)


def busy(since: float, jobs: int) -> str:
    """What a beat tells about the jobs in hand."""
    return json.dumps({"since": since, "jobs": jobs})
