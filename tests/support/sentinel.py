"""Sentinels that watch over a primary and its replicas, and put another in its place when it dies.

Owns: the sentinels and who they say is the primary. Refuses: to tell the servers anything itself.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import redis

from tests.support.processes import wait_until
from tests.support.replicas import ReplicaPair, role_of
from tests.support.server import Kind, ValkeyServer, binary_of

SERVICE = "watched"
READY_SECONDS = 40.0
SWITCH_SECONDS = 40.0
DOWN_AFTER_MS = 2500
"""Sentinels ask once a second: with less they take the new primary for dead too, and switch back."""


class Sentinel(ValkeyServer):
    """One sentinel. It writes its own configuration file, so that it is the only way to tell it anything."""

    def __init__(self, watched: ValkeyServer, quorum: int, down_after_ms: int, kind: Kind = "valkey") -> None:
        super().__init__(kind)
        self._watched, self._quorum, self._down_after_ms = watched, quorum, down_after_ms

    def _command(self) -> list[str]:
        path = self.folder / "sentinel.conf"
        if not path.exists():
            path.write_text(self._configuration())
        return [str(binary_of(self.kind)), str(path), "--sentinel"]

    def _configuration(self) -> str:
        lines = [
            f"port {self.port}",
            "bind 127.0.0.1",
            f"dir {self.folder}",
            f"sentinel monitor {SERVICE} 127.0.0.1 {self._watched.port} {self._quorum}",
            f"sentinel down-after-milliseconds {SERVICE} {self._down_after_ms}",
            f"sentinel failover-timeout {SERVICE} 5000",
            f"sentinel parallel-syncs {SERVICE} 2",
        ]
        if self._watched.password:
            lines.append(f"sentinel auth-pass {SERVICE} {self._watched.password}")
        return "\n".join(lines) + "\n"

    def _take_ports(self) -> None:
        super()._take_ports()
        (self.folder / "sentinel.conf").unlink(missing_ok=True)


class SentinelGroup:
    """A primary, `replica_count` replicas and `sentinel_count` sentinels, for a `with` block.

    `primary` is the one that the sentinels name; `kill`, `freeze` and `client` are those of it. Other options
    are the servers' (`appendonly="yes"`, `requirepass=…`).
    """

    def __init__(
        self,
        kind: Kind = "valkey",
        *,
        replica_count: int = 1,
        sentinel_count: int = 3,
        down_after_ms: int = DOWN_AFTER_MS,
        **options: str | int,
    ) -> None:
        self.pair = ReplicaPair(kind, replica_count, **options)
        quorum = sentinel_count // 2 + 1
        self.sentinels = [
            Sentinel(self.pair.servers[0], quorum, down_after_ms, kind) for _ in range(sentinel_count)
        ]

    @property
    def servers(self) -> list[ValkeyServer]:
        """The primary and its replicas, in the order in which they were started."""
        return self.pair.servers

    @property
    def hosts(self) -> str:
        """The sentinels as a URL lists them."""
        return ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)

    @property
    def url(self) -> str:
        """The URL that asks the sentinels."""
        secret = f":{self.servers[0].password}@" if self.servers[0].password else ""
        return f"redis+sentinel://{secret}{self.hosts}/{SERVICE}/0"

    @property
    def primary(self) -> ValkeyServer:
        """The server that the first sentinel that answers names."""
        port = wait_until(self._named_port, SWITCH_SECONDS, "a sentinel names the primary")
        return next(server for server in self.servers if server.port == port)

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

    def failover(self) -> None:
        """Have the sentinels change the primary, as an operator does, and wait for it.

        They want a replica that they have asked for its state lately, and no switch under way.
        """
        before = self.primary
        wait_until(
            lambda: asked(self.sentinels[0], "FAILOVER", SERVICE),
            SWITCH_SECONDS,
            "a sentinel begins the switch",
        )
        self.wait_for_switch(before)

    def wait_for_switch(self, before: ValkeyServer) -> ValkeyServer:
        """Return the new primary as soon as every running sentinel names another than `before`."""
        wait_until(
            lambda: all(
                port_named_by(sentinel) not in (0, before.port)
                for sentinel in self.sentinels
                if sentinel.is_running()
            ),
            SWITCH_SECONDS,
            f"the sentinels name another primary than {before.port}",
        )
        after = self.primary
        wait_until(lambda: role_of(after) == "master", SWITCH_SECONDS, f"{after.port} takes writes")
        return after

    def start(self) -> Self:
        """Start all and return when every sentinel knows every replica and every other sentinel."""
        try:
            self.pair.start()
            for sentinel in self.sentinels:
                sentinel.start()
            for sentinel in self.sentinels:
                wait_until(
                    lambda sentinel=sentinel: self._knows_all(sentinel),  # type: ignore[misc]
                    READY_SECONDS,
                    f"the sentinel {sentinel.port} knows the others",
                )
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """End all. Safe to call again."""
        for sentinel in self.sentinels:
            sentinel.close()
        self.pair.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _named_port(self) -> int:
        return next((port for port in map(port_named_by, self.sentinels) if port), 0)

    def _knows_all(self, sentinel: Sentinel) -> bool:
        told = asked(sentinel, "MASTER", SERVICE)
        if not told:
            return False
        seen = dict(zip(told[::2], told[1::2], strict=True))
        return (
            int(seen[b"num-slaves"]) >= len(self.servers) - 1
            and int(seen[b"num-other-sentinels"]) >= len(self.sentinels) - 1
        )


def asked(sentinel: Sentinel, *words: str) -> list[bytes]:
    """The answer of `SENTINEL words`; [] from one that does not answer."""
    if not sentinel.is_running():
        return []
    try:
        with sentinel.client(socket_timeout=1.0) as client:
            answer: Any = client.execute_command("SENTINEL", *words, NEVER_DECODE=True)
            return list(answer) if isinstance(answer, list) else [answer] if answer else []
    except redis.RedisError:
        return []


def port_named_by(sentinel: Sentinel) -> int:
    """The port of the primary that a sentinel names, 0 when it does not answer."""
    answer = asked(sentinel, "GET-MASTER-ADDR-BY-NAME", SERVICE)
    return int(answer[1]) if answer else 0
