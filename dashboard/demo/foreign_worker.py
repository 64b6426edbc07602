"""A worker that knows nothing of Watchkeeper: a plain loop over lists, as many teams have written it.

Owns: the whole wire contract in one screen: BLMOVE into a list of its own, a heartbeat before, during and
after each job, LREM as the acknowledgement. Refuses: any import of this project, so that the demo shows how
the console serves workers that only share the five keys.

Run as a program: `python foreign_worker.py QUEUE NAME`, with REDIS_URL in the environment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

import redis

JOB_SECONDS = 2.0
BEAT_SECONDS = 0.5


class ForeignWorker:
    """One loop under one name: claim, work while beating, acknowledge."""

    def __init__(self, url: str, queue: str, name: str) -> None:
        self.redis = redis.Redis.from_url(url)
        self.queue, self.name = queue, name
        self.mine = f"{queue}:processing:{name}"
        self.leaving = False

    def beat(self) -> None:
        """Say in whole seconds that this worker lives."""
        self.redis.hset(f"{self.queue}:heartbeats", self.name, str(int(time.time())))

    def work(self, raw: bytes) -> None:
        """Take two seconds over a job, beating all the while, then note its id as done."""
        ends_at = time.monotonic() + JOB_SECONDS
        while time.monotonic() < ends_at:
            self.beat()
            time.sleep(BEAT_SECONDS)
        self.redis.sadd(f"demo:done:{self.queue}", str(json.loads(raw)["id"]))

    def run(self) -> None:
        """Loop until SIGTERM; a job in hand is finished first."""
        self.beat()
        while not self.leaving:
            raw: Any = self.redis.blmove(f"{self.queue}:pending", self.mine, 1, "RIGHT", "LEFT")
            self.beat()
            if raw is not None:
                self.work(raw)
                self.redis.lrem(self.mine, 1, raw)
        self.redis.hdel(f"{self.queue}:heartbeats", self.name)

    def leave(self, *_: object) -> None:
        """Handle SIGTERM: no job after this one."""
        self.leaving = True


if __name__ == "__main__":
    worker = ForeignWorker(os.environ["REDIS_URL"], *sys.argv[1:3])
    signal.signal(signal.SIGTERM, worker.leave)
    signal.signal(signal.SIGINT, worker.leave)
    worker.run()
