"""A cluster: primaries that share the slots, each with replicas that may take its place.

Owns: the nodes, how they meet, and who owns a key's slot. Refuses: to move slots by itself; `hand_over` and
`move_slot` do, when told.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import redis

from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer, free_port

SLOTS = 16384
READY_SECONDS = 60.0
SWITCH_SECONDS = 40.0
NODE_TIMEOUT_MS = 1000


class ClusterNode(ValkeyServer):
    """One node; it remembers its identity over a kill and a start."""

    def _take_ports(self) -> None:
        super()._take_ports()
        self.options["cluster-port"] = str(free_port())

    @property
    def bus_port(self) -> int:
        """Where nodes speak to it."""
        return int(self.options["cluster-port"])

    def ask(self, *words: str | int | bytes) -> Any:
        """The answer to a command, undecoded."""
        with self.client() as client:
            return client.execute_command(*words, NEVER_DECODE=True)

    def cluster_facts(self) -> dict[str, str]:
        """CLUSTER INFO; {} from a node that does not answer."""
        try:
            told: Any = self.ask("CLUSTER", "INFO")
        except redis.RedisError:
            return {}
        return told if isinstance(told, dict) else parsed(told)

    @property
    def node_id(self) -> str:
        """Its name among the nodes."""
        answer = self.ask("CLUSTER", "MYID")
        return answer.decode() if isinstance(answer, bytes) else str(answer)


class Cluster:
    """`primary_count` nodes that share the slots, with `replicas_each` replicas, for a `with` block.

    `Cluster(primary_count=1, replicas_each=0)` is the smallest: one node that owns all slots. Other options
    are the nodes'. `kill`, `freeze` and `owner` are about the node that owns a key's slot at the moment;
    `client` is a cluster client, `owner(key).client()` a plain one.
    """

    def __init__(
        self,
        kind: Kind = "valkey",
        *,
        primary_count: int = 3,
        replicas_each: int = 1,
        **options: str | int,
    ) -> None:
        settings: dict[str, str | int] = {
            "cluster_enabled": "yes",
            "cluster_node_timeout": NODE_TIMEOUT_MS,
            "cluster_replica_validity_factor": 0,
            "repl_diskless_sync_delay": 0,
        }
        if "requirepass" in options:
            settings["masterauth"] = options["requirepass"]
        count = primary_count * (1 + replicas_each)
        self.nodes = [ClusterNode(kind, **(settings | options)) for _ in range(count)]
        self._primary_count = primary_count

    @property
    def url(self) -> str:
        """The URL of the cluster: every node, the password included."""
        secret = f":{self.nodes[0].password}@" if self.nodes[0].password else ""
        return f"redis+cluster://{secret}{','.join(f'127.0.0.1:{node.port}' for node in self.nodes)}"

    def client(self, **options: object) -> redis.RedisCluster:
        """A cluster client for looking and setting up: bytes."""
        node = next(node for node in self.nodes if node.is_running())
        settings: dict[str, object] = {
            "host": "127.0.0.1",
            "port": node.port,
            "password": node.password,
            "protocol": 2,
            "socket_timeout": 5.0,
        }
        return redis.RedisCluster(**(settings | options))  # type: ignore[arg-type]

    def owner(self, key: str | bytes) -> ClusterNode:
        """The node that owns the key's slot, by the first running node that knows one that runs."""

        def found() -> ClusterNode | None:
            slot = 0
            for node in self.nodes:
                if not node.is_running():
                    continue
                try:
                    slot = int(node.ask("CLUSTER", "KEYSLOT", key))
                    ports = ports_of(node.ask("CLUSTER", "SLOTS"), slot)
                except redis.RedisError:
                    continue
                for one in self.nodes:
                    if ports and one.port == ports[0] and one.is_running():
                        return one
            return None

        return wait_until(found, SWITCH_SECONDS, f"a running node owns the slot of {key!r}")  # type: ignore[return-value]

    def replica_of(self, primary: ClusterNode) -> ClusterNode:
        """A node that follows `primary`."""
        slots = primary.ask("CLUSTER", "REPLICAS", primary.node_id)
        names = {line.split()[0].decode() for line in slots}
        return next(node for node in self.nodes if node.is_running() and node.node_id in names)

    def kill(self, key: str | bytes) -> ClusterNode:
        """SIGKILL the owner of the key's slot; the node is returned, so that it can be started again."""
        node = self.owner(key)
        node.kill()
        return node

    def freeze(self, key: str | bytes) -> ClusterNode:
        """SIGSTOP the owner of the key's slot; the node is returned, so that it can be thawed."""
        node = self.owner(key)
        node.freeze()
        return node

    def wait_for_switch(self, key: str | bytes, before: ClusterNode) -> ClusterNode:
        """Return the owner of the key's slot once it is another than `before` and all slots are served."""

        def switched() -> bool:
            others = [node for node in self.nodes if node is not before and node.is_running()]
            slot = int(others[0].ask("CLUSTER", "KEYSLOT", key))
            return all(
                node.cluster_facts().get("cluster_state") == "ok"
                and ports_of(node.ask("CLUSTER", "SLOTS"), slot)[:1] not in ([], [before.port])
                for node in others
            )

        wait_until(switched, SWITCH_SECONDS, f"another node than {before.port} owns the slot of {key!r}")
        return self.owner(key)

    def hand_over(self, key: str | bytes) -> ClusterNode:
        """The ordered change: a replica of the owner takes its place (CLUSTER FAILOVER); return it."""
        before = self.owner(key)
        self.replica_of(before).ask("CLUSTER", "FAILOVER")
        return self.wait_for_switch(key, before)

    def move_slot(self, key: str | bytes, to: ClusterNode) -> None:
        """Give the key's slot with all it holds to another primary, as resharding does."""
        before = self.owner(key)
        slot = int(before.ask("CLUSTER", "KEYSLOT", key))
        to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", before.node_id)
        before.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", to.node_id)
        secret = ("AUTH", to.password) if to.password else ()
        while names := before.ask("CLUSTER", "GETKEYSINSLOT", slot, 100):
            before.ask("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, *secret, "KEYS", *names)
        for node in [to, before, *(node for node in self.nodes if node not in (to, before))]:
            if node.is_running() and node.ask("ROLE")[0] == b"master":
                node.ask("CLUSTER", "SETSLOT", slot, "NODE", to.node_id)

    def start(self) -> Self:
        """Start all nodes and return when each of them serves all slots and every replica is in step."""
        try:
            for node in self.nodes:
                node.start()
            self._meet()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """End all nodes. Safe to call again."""
        for node in self.nodes:
            node.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _meet(self) -> None:
        primaries, replicas = self.nodes[: self._primary_count], self.nodes[self._primary_count :]
        for number, node in enumerate(primaries):
            first, end = SLOTS * number // len(primaries), SLOTS * (number + 1) // len(primaries)
            node.ask("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
        for number, node in enumerate(self.nodes):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in self.nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port, self.nodes[0].bus_port)
        wait_until(lambda: all(map(self._knows_all, self.nodes)), READY_SECONDS, "the nodes know each other")
        for number, node in enumerate(replicas):
            node.ask("CLUSTER", "REPLICATE", primaries[number % len(primaries)].node_id)
        wait_until(lambda: all(map(self._is_ready, self.nodes)), READY_SECONDS, "all slots are served")

    def _knows_all(self, node: ClusterNode) -> bool:
        return int(node.cluster_facts().get("cluster_known_nodes", 0)) == len(self.nodes)

    def _is_ready(self, node: ClusterNode) -> bool:
        role = node.ask("ROLE")
        in_step = role[0] == b"master" or role[3] == b"connected"
        each = 1 + (len(self.nodes) - self._primary_count) // self._primary_count
        listed = node.ask("CLUSTER", "SLOTS")
        return (
            in_step
            and node.cluster_facts().get("cluster_state") == "ok"
            and sum(int(row[1]) - int(row[0]) + 1 for row in listed) == SLOTS
            and all(len(row) - 2 >= each for row in listed)
        )


def ports_of(listed: Any, slot: int) -> list[int]:
    """The ports of the nodes that CLUSTER SLOTS names for a slot, the owner first."""
    for first, last, *nodes in listed:
        if int(first) <= slot <= int(last):
            return [int(node[1]) for node in nodes]
    return []


def parsed(told: bytes | str) -> dict[str, str]:
    """The lines of CLUSTER INFO."""
    text = told.decode() if isinstance(told, bytes) else told
    return dict(line.split(":", 1) for line in text.split("\r\n") if ":" in line)
