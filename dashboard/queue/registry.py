"""The index of queue names: `watchkeeper:queues`. It may be lost at any time, and nothing is decided by it.

Owns: putting a name into it now and then, and reading it. Refuses: to fail because of it.
"""

from __future__ import annotations

import time

import redis

from dashboard.queue.errors import BadName, ServerRefused, translated
from dashboard.queue.keys import REGISTRY, QueueKeys

RENEW_SECONDS = 60.0


class Registration:
    """Keeps one queue's name in the index, for a producer or worker of it."""

    def __init__(self, queue: QueueKeys) -> None:
        self._q, self._renewed_at = queue, -RENEW_SECONDS

    def renew(self, client: redis.Redis) -> None:
        """Put the name into the index, at most once a minute. Never raises: it is an index only."""
        now = time.monotonic()
        if now - self._renewed_at < RENEW_SECONDS:
            return
        self._renewed_at = now
        try:
            client.sadd(REGISTRY, self._q.queue)
        except redis.RedisError:
            return


def registered(client: redis.Redis) -> list[QueueKeys]:
    """Return the queues of the index, those with impossible names left out. Raises ServerAway.

    [] where it may not be read or is no set: the settings name the queues then.
    """
    queues: list[QueueKeys] = []
    try:
        with translated():
            for name in client.sscan_iter(REGISTRY, count=1000):
                try:
                    queues.append(QueueKeys(name))
                except BadName:
                    continue
    except ServerRefused:
        return []
    return queues
