"""A primary with replicas that follow it.

Owns: who follows whom at the start, waiting until they are in step, and an ordered FAILOVER. Refuses: to
notice a death; `sentinel` and `cluster` have those who do.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import redis

from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer

IN_STEP_SECONDS = 40.0
QUICK_SYNC = {"repl-diskless-sync": "yes", "repl-diskless-sync-delay": "0", "repl-timeout": "10"}
"""A replica begins to copy at once, and soon sees that its primary is frozen."""


class ReplicaPair:
    """One primary and `replica_count` replicas for a `with` block; options are those of `ValkeyServer`.

    `primary` and `replicas` change places by `failover`. `kill`, `freeze`, `thaw` and `client` are those of
    the primary of the moment.
    """

    def __init__(self, kind: Kind = "valkey", replica_count: int = 1, **options: str | int) -> None:
        if "requirepass" in options:
            options["masterauth"] = options["requirepass"]
        self.servers = [ValkeyServer(kind, **(QUICK_SYNC | options)) for _ in range(1 + replica_count)]
        self._primary = self.servers[0]

    @property
    def primary(self) -> ValkeyServer:
        """The server that takes writes."""
        return self._primary

    @property
    def replicas(self) -> list[ValkeyServer]:
        """The others."""
        return [server for server in self.servers if server is not self.primary]

    @property
    def url(self) -> str:
        """The URL of the primary of the moment."""
        return self.primary.url

    def client(self, **options: object) -> redis.Redis:
        """A client of the primary of the moment."""
        return self.primary.client(**options)

    def kill(self) -> ValkeyServer:
        """SIGKILL the primary of the moment; the server is returned, so that it can be started again."""
        server = self.primary
        server.kill()
        return server

    def freeze(self) -> ValkeyServer:
        """SIGSTOP the primary of the moment; the server is returned, so that it can be thawed."""
        server = self.primary
        server.freeze()
        return server

    def start(self) -> Self:
        """Start all and return when the replicas are in step."""
        try:
            self._primary.start()
            for server in self.servers[1:]:
                server.options["replicaof"] = f"127.0.0.1 {self._primary.port}"
                server.start()
            self.wait_in_step()
        except BaseException:
            self.close()
            raise
        return self

    def wait_in_step(self) -> None:
        """Return when every running replica has all that the primary of the moment has."""
        for server in self.replicas:
            if server.is_running():
                wait_until(
                    lambda server=server: is_in_step(self.primary, server),  # type: ignore[misc]
                    IN_STEP_SECONDS,
                    f"the replica {server.port} is in step",
                )

    def failover(self, within_seconds: float = 20.0) -> None:
        """The ordered change of places: FAILOVER on the primary, and wait until it is over."""
        before, after = self.primary, self.replicas[0]
        with before.client() as client:
            client.execute_command("FAILOVER", "TO", "127.0.0.1", after.port)
        wait_until(lambda: role_of(after) == "master", within_seconds, f"{after.port} is the primary")
        wait_until(lambda: role_of(before) == "slave", within_seconds, f"{before.port} is a replica")
        self._primary = after

    def close(self) -> None:
        """End all. Safe to call again."""
        for server in self.servers:
            server.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def replication(server: ValkeyServer) -> dict[str, Any]:
    """What a server says of its replication; {} while it does not answer."""
    try:
        with server.client(socket_timeout=1.0) as client:
            told: Any = client.info("replication")
            return dict(told)
    except redis.RedisError:
        return {}


def role_of(server: ValkeyServer) -> str:
    """ "master" or "slave", "" while it does not answer."""
    return str(replication(server).get("role", ""))


def is_in_step(primary: ValkeyServer, replica: ValkeyServer) -> bool:
    """Whether `replica` follows `primary` and lacks nothing of it."""
    ahead, behind = replication(primary), replication(replica)
    return (
        behind.get("master_port") == primary.port
        and behind.get("master_link_status") == "up"
        and int(behind.get("slave_repl_offset", -1)) >= int(ahead.get("master_repl_offset", 0)) > 0
    )
