"""The demo's book: which ids were ever handed in, and whether the feeder is to rest.

Owns: the keys beginning `demo:` that the feeder writes. They are no part of any queue; they exist so that
every job can be accounted for. Refuses: to say where a job is now; that is for the five keys.
"""

from __future__ import annotations

from typing import Final

import redis

FED: Final = "demo:fed:"
"""Prefix of the set of ids handed in to one queue."""
SERIAL: Final = "demo:serial:"
"""Prefix of the counter that the ids of one queue are made from."""
FEEDER: Final = "demo:feeder"
"""String: "stop" asks the feeder to rest, "stopped" is its answer; without the key it feeds."""
STEMS: Final = {b"mail": "mail", b"reports": "report", b"webhooks": "hook"}


class Ledger:
    """Ids and the order to rest, kept in the demo's Redis."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def new_id(self, queue: bytes) -> str:
        """Return the next id of a queue and write it down as handed in."""
        number = self._client.incr(SERIAL + queue.decode())
        job_id = f"{STEMS[queue]}-{number}"
        self._client.sadd(FED + queue.decode(), job_id)
        return job_id

    def strike(self, queue: bytes, job_id: str) -> None:
        """Take back an id whose job was refused."""
        self._client.srem(FED + queue.decode(), job_id)

    def may_feed(self) -> bool:
        """Whether jobs may be handed in now; answers an order to rest."""
        order = self._client.get(FEEDER)
        if order == b"stop":
            self._client.set(FEEDER, "stopped")
        return order is None
