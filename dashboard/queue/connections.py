"""Connections by role: claims, beats and everything else never share one.

Owns: when a client is built and when its connections are dropped. Refuses: to read settings; it is given a
factory, or builds the plain one of a URL. Clients are built on first use, so that a process can fork before.
"""

from __future__ import annotations

from typing import Protocol

import redis
from redis.backoff import NoBackoff
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

TIMEOUT_SECONDS = 2.0
"""How long an answer may take: well under the smallest threshold, so that a beat can be tried again."""

CLAIM_GRACE_SECONDS = 5.0
"""How much longer than its block time a claim waits: a server that is busy just then must not cut it."""


class ClientFactory(Protocol):
    """Builds a client for a role: "claim", "beat" or "command". It must not retry by itself.

    `block_seconds` is the longest that a blocking command of that client waits.
    """

    def __call__(self, role: str, block_seconds: float = 0) -> redis.Redis:
        """Return a client that answers with bytes."""
        ...


class UrlFactory:
    """The plain factory of a `redis://` URL, for programs without settings of ours. It can be pickled."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, role: str, block_seconds: float = 0) -> redis.Redis:
        """Return a client without retries: a command whose reply was lost may have been carried out."""
        patience = TIMEOUT_SECONDS + (block_seconds + CLAIM_GRACE_SECONDS if role == "claim" else 0.0)
        pool = redis.ConnectionPool.from_url(
            self.url,
            client_name=f"watchkeeper:{role}",
            decode_responses=False,
            protocol=2,
            socket_timeout=patience,
            socket_connect_timeout=TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=0,
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
            driver_info=None,
        )
        return redis.Redis.from_pool(pool)


class Connections:
    """The clients of one process. Not to be carried over a fork: the child builds its own."""

    def __init__(self, factory: ClientFactory) -> None:
        self._factory = factory
        self._clients: dict[str, redis.Redis] = {}

    @classmethod
    def from_url(cls, url: str) -> Connections:
        """Return the connections of a server by its URL."""
        return cls(UrlFactory(url))

    def command(self) -> redis.Redis:
        """Return the client for everything that neither blocks nor beats."""
        return self._kept("command")

    def beat(self) -> redis.Redis:
        """Return the client for heartbeats, so that nothing slow stands in their way."""
        return self._kept("beat")

    def claim(self, block_seconds: float) -> redis.Redis:
        """Connect and return a fresh client of exactly one connection, for one claiming thread.

        The caller ends it by `drop`. Connecting raises redis-py's errors.
        """
        client: redis.Redis = self._factory("claim", block_seconds).client()  # type: ignore[no-untyped-call]
        return client

    def close(self) -> None:
        """Drop every kept client. They are built again when they are asked for."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            drop(client)

    def _kept(self, role: str) -> redis.Redis:
        if role not in self._clients:
            self._clients[role] = self._factory(role)
        return self._clients[role]


def drop(client: redis.Redis) -> None:
    """Close all connections of a client, whatever it was waiting for. Never raises."""
    connection = client.connection
    client.connection = None
    try:
        if connection is not None:
            connection.disconnect()  # type: ignore[no-untyped-call]
        client.connection_pool.disconnect()
    except (redis.RedisError, OSError):
        pass
