"""A client that counts its round trips, and the commands that a server counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.connection import Connection, ConnectionPool
from redis.retry import Retry

from tests.support.server import ValkeyServer

OWN = frozenset({"info", "config|resetstat", "client|setinfo", "hello", "select", "ping"})
"""Commands of the measuring itself and of making a connection."""


class CountingConnection(Connection):
    """Counts what it sends; a pipeline is one sending."""

    sent_count = 0

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        """Count, then send."""
        type(self).sent_count += 1
        super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]


def counting_client(server: ValkeyServer) -> redis.Redis:
    """Return a client over counting connections."""
    pool = ConnectionPool(
        connection_class=CountingConnection,
        host="127.0.0.1",
        port=server.port,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=20.0,
    )
    return redis.Redis(connection_pool=pool)


def trips(act: Callable[[], object]) -> int:
    """Return how many round trips an act makes."""
    before = CountingConnection.sent_count
    act()
    return CountingConnection.sent_count - before


def commands(client: redis.Redis, act: Callable[[], object]) -> int:
    """Return how many commands the server ran for an act, those inside scripts included."""
    client.config_resetstat()
    act()
    stats: dict[str, Any] = client.info("commandstats")
    return sum(
        figures["calls"] for name, figures in stats.items() if name.removeprefix("cmdstat_") not in OWN
    )
