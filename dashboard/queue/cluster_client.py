"""A client for a whole cluster, for those who read and act on many queues: the console and the command line.

Owns: connecting on first use only, and telling an absent cluster as an absent server. Refuses: to repeat a
command, but for one that a node refused because another owns the slot; and claims, which belong to one node.
"""

from __future__ import annotations

import threading
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.crc import key_slot
from redis.exceptions import ClusterCrossSlotError, RedisClusterException
from redis.retry import Retry

from dashboard.queue.server_address import Place

ABSENT = ("cannot be connected", "slots are covered", "slots are not covered")
"""Words of redis-py for a cluster that does not answer; others are about a command."""
SCATTERED = "must map to the same key slot"
"""Its words for keys of several nodes, before any of these is asked."""


class ClusterClient(redis.RedisCluster):
    """redis-py's client of a cluster, without retries, which connects when the first command is given."""

    def __init__(self, nodes: list[Place], options: dict[str, Any]) -> None:
        self._nodes, self._options = nodes, options
        self._is_ready = self._is_being_made = False
        # Building it gives commands itself.
        self._ready_lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        # redis-py's own methods look at what is only there once it is connected.
        if name.startswith("__") or "_ready_lock" not in vars(self):
            raise AttributeError(name)
        with self._ready_lock:
            self._make_ready()
            if name in vars(self):
                return vars(self)[name]
        raise AttributeError(name)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Give a command to the node that owns its keys. Raises redis-py's errors."""
        self._make_ready()
        try:
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        except RedisClusterException as error:
            raise _told_apart(error) from error

    def pipeline(self, *args: Any, **options: Any) -> Any:
        """Return a pipeline over the nodes."""
        self._make_ready()
        return super().pipeline(*args, **options)  # type: ignore[no-untyped-call]

    def scan_iter(self, *args: Any, **options: Any) -> Any:
        """Walk over the keys of every node that owns any."""
        self._make_ready()
        return super().scan_iter(*args, **options)

    def keyslot(self, key: bytes | str) -> int:
        """Return the slot of a key, without asking."""
        return key_slot(key if isinstance(key, bytes) else key.encode())

    def close(self) -> None:
        """Close all connections; the next command connects anew."""
        with self._ready_lock:
            was_ready, self._is_ready = self._is_ready, False
        if was_ready:
            super().close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._nodes}>"

    def _make_ready(self) -> None:
        with self._ready_lock:
            if self._is_ready or self._is_being_made:
                return
            self._is_being_made = True
            nodes = [ClusterNode(host, port) for host, port in self._nodes]  # type: ignore[no-untyped-call]
            try:
                super().__init__(startup_nodes=nodes, retry=Retry(NoBackoff(), 0), **self._options)
            except RedisClusterException as error:
                raise _told_apart(error) from error
            finally:
                self._is_being_made = False
            self._is_ready = True


def _told_apart(error: RedisClusterException) -> Exception:
    """Return what a server would say: redis-py has one error for an absent cluster and for wrong keys."""
    if SCATTERED in str(error):
        return ClusterCrossSlotError(str(error))
    if any(words in str(error) for words in ABSENT):
        return redis.ConnectionError(f"Error connecting to the cluster: {error}")
    return error
