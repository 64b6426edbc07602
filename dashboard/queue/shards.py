"""The servers that a janitor looks after: one, or the nodes of a cluster that own slots.

Owns: the slow walks over the keys of each, and noticing that another server answers in its place. Refuses: to
serve a queue; the walks only find some.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any

import redis

from dashboard.queue.connections import Connections
from dashboard.queue.discovery import ProcessingLists
from dashboard.queue.errors import QueueError, ServerAway, translated
from dashboard.queue.keys import QueueKeys
from dashboard.queue.managed import PolicyWalk

log = logging.getLogger(__name__)

LAYOUT_SECONDS = 5.0
"""How often a cluster is asked who owns slots: a node that was added is found this soon."""


class Shards:
    """All servers that hold keys. Those of a cluster are asked for again now and then."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._by_connections: dict[Connections, Shard] = {}
        self._looked_at = -LAYOUT_SECONDS

    def look(self, young_seconds: float) -> tuple[list[Shard], bool]:
        """Return the servers that answer, and whether one began anew or is away; see `Shard.began_anew`.

        Raises ServerAway when none answers.
        """
        there, is_new, away = [], False, None
        for shard in self._all():
            try:
                is_new = shard.began_anew(young_seconds) or is_new
                there.append(shard)
            except ServerAway as error:
                away = error
        if away is not None:
            if not there:
                raise away
            log.warning("a node of the cluster is passed over: %s", away)
        return there, is_new or away is not None

    def restart(self) -> None:
        """Begin every walk anew, and look anew who there is."""
        self._looked_at = -LAYOUT_SECONDS
        for shard in self._by_connections.values():
            shard.lists.restart()

    def _all(self) -> list[Shard]:
        if not self._by_connections or self._connections.is_cluster:
            now = time.monotonic()
            if now - self._looked_at >= LAYOUT_SECONDS:
                before = self._by_connections
                self._by_connections = {
                    one: before.get(one) or Shard(one.command()) for one in self._connections.shards()
                }
                self._looked_at = now
        return list(self._by_connections.values())


class Shard:
    """One server: its identity, and the walks over its keys."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.lists, self.policies = ProcessingLists(client), PolicyWalk(client)
        self._server = ""

    def began_anew(self, young_seconds: float) -> bool:
        """Tell whether another server process answers than before, or at first one younger than this.

        Raises ServerAway.
        """
        try:
            with translated():
                server: Any = self.client.info("server")
        except ServerAway:
            raise
        except QueueError:
            return False
        before, self._server = self._server, str(server.get("run_id", ""))
        if before:
            return before != self._server
        return float(server.get("uptime_in_seconds", 0)) < young_seconds


def lists_of(shards: Iterable[Shard], queues: list[bytes]) -> dict[bytes, set[bytes]]:
    """Take the next step of the walks for processing lists; return the workers found, by queue."""
    found: dict[bytes, set[bytes]] = {}
    for shard in shards:
        for queue, workers in shard.lists.step(queues).items():
            found.setdefault(queue, set()).update(workers)
    return found


def managed_by(shards: Iterable[Shard]) -> dict[bytes, QueueKeys]:
    """Take the next step of the walks for policies; return every queue known by now."""
    found: dict[bytes, QueueKeys] = {}
    for shard in shards:
        found |= shard.policies.step()
    return found
