"""The coming and going of the scene's jobs, so that trends and rates have something to show.

Owns: how many jobs come and go each second, and the counters that say so. Refuses: to run any job.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import redis

from bench.scene_jobs import mails, orders, reports, thumbnails, webhooks
from dashboard.queue.keys import QueueKeys

Makers = dict[str, Callable[..., Iterator[bytes]]]
MAKERS: Makers = {
    "orders": orders,
    "webhooks": webhooks,
    "mail": mails,
    "reports": reports,
    "thumbnails": thumbnails,
}
RATES = {
    "orders": (2.2, 0.0),
    "webhooks": (22.0, 21.5),
    "mail": (18.0, 17.6),
    "reports": (0.3, 0.3),
    "thumbnails": (3.1, 3.1),
}
"""Jobs a second: enqueued, and taken away."""
FIRST_ID = 200_000


class Traffic:
    """Lets jobs come and go, a second's worth a call; the same every time."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._dice = random.Random(7)
        self._next = FIRST_ID
        self._carried = {name: [0.0, 0.0] for name in RATES}

    def flow(self, now: float) -> None:
        """One second of it."""
        pipe = self._client.pipeline(transaction=False)
        for name, rates in RATES.items():
            keys, carried = QueueKeys(name), self._carried[name]
            counts = []
            for side, rate in enumerate(rates):
                carried[side] += rate * self._dice.uniform(0.3, 1.7)
                counts.append(int(carried[side]))
                carried[side] -= counts[-1]
            come, go = counts
            if name == "thumbnails":
                go = come
            if come:
                jobs = MAKERS[name](now, come, first=self._next)
                pipe.lpush(keys.pending, *jobs)
                self._next += come
            if go:
                pipe.rpop(keys.pending, go)
            pipe.hincrby(keys.stats, "enqueued", come)
            pipe.hincrby(keys.stats, "acked", go)
        pipe.execute()
