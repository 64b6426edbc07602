"""Connections by role: claims, beats and everything else never share one.

Owns: when a client is built, which node of a cluster it belongs to, and when its connections are dropped.
Refuses: to read settings; it is given a factory, or the URL of one. Clients are built on first use, so that a
process can fork before.
"""

from __future__ import annotations

from typing import Protocol

import redis

from dashboard.queue.cluster_client import ClusterClient
from dashboard.queue.errors import BadName, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.keys import REGISTRY, QueueKeys, has_hash_tag, readable


class ClientFactory(Protocol):
    """Builds a client for a role: "claim", "beat" or "command". It must not retry by itself.

    `block_seconds` is the longest that a blocking command of that client waits. `ServerFactory` is the one
    for everything; another callable serves one server only.
    """

    def __call__(self, role: str, block_seconds: float = 0) -> redis.Redis:
        """Return a client that answers with bytes."""
        ...


class Connections:
    """The clients of one process. Not to be carried over a fork: the child builds its own.

    On a cluster those of `of(queue)` lead to the node that owns the queue's keys, and whoever works on a
    queue asks for them; anywhere else they are the same clients.
    """

    def __init__(self, factory: ClientFactory, _root: Connections | None = None) -> None:
        self._factory, self._root = factory, _root or self
        self._clients: dict[str, redis.Redis] = {}
        self._by_slot: dict[int, Connections] = {}

    @classmethod
    def from_url(cls, url: str) -> Connections:
        """Return the connections of a server by its URL. Raises BadAddress."""
        return cls(ServerFactory.from_url(url))

    @property
    def is_cluster(self) -> bool:
        """Whether queues live on several servers, of which one may be away while the others go on."""
        return self._cluster() is not None

    def of(self, queue: QueueKeys) -> Connections:
        """Return the connections to the server that holds a queue's keys.

        Raises BadName on a cluster for a name without a hash tag: its keys would be spread over the nodes.
        """
        if self._cluster() and not has_hash_tag(queue.queue):
            name = readable(queue.queue)
            raise BadName(
                f"This Redis is a cluster, where a queue's name needs a hash tag, for example {{{name}}} "
                f"in place of {name}. No job was touched."
            )
        return self._beside(queue.queue)

    def of_registry(self) -> Connections:
        """Return the connections to the server that holds the index of queues."""
        return self._beside(REGISTRY)

    def shards(self) -> list[Connections]:
        """Return the connections to every server that holds keys: one, or a cluster's nodes that own slots.

        A cluster is asked for them. Raises ServerAway and ServerRefused.
        """
        factory = self._cluster()
        if factory is None:
            return [self]
        with translated():
            slots = factory.owned_slots()
        return [self._at_slot(factory.at_slot(slot)) for slot in slots]

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
        for others in self._by_slot.values():
            others.close()

    def _kept(self, role: str) -> redis.Redis:
        if role not in self._clients:
            self._clients[role] = self._factory(role)
        return self._clients[role]

    def _cluster(self) -> ServerFactory | None:
        factory = self._root._factory
        return factory if isinstance(factory, ServerFactory) and factory.is_cluster else None

    def _beside(self, key: bytes) -> Connections:
        factory = self._cluster()
        return self if factory is None else self._at_slot(factory.at(key))

    def _at_slot(self, factory: ServerFactory) -> Connections:
        assert factory.slot is not None
        by_slot = self._root._by_slot
        return by_slot.get(factory.slot) or by_slot.setdefault(factory.slot, Connections(factory, self._root))


def drop(client: redis.Redis | ClusterClient) -> None:
    """Close all connections of a client, whatever it was waiting for. Never raises."""
    try:
        if isinstance(client, ClusterClient):
            client.close()
            return
        connection = client.connection
        client.connection = None
        if connection is not None:
            connection.disconnect()  # type: ignore[no-untyped-call]
        client.connection_pool.disconnect()
    except (redis.RedisError, OSError):
        pass
