"""The one place where a Redis client is built: for a role, from where the server is.

Owns: time-outs, names and bounded pools by role, for a server, a socket, Sentinels and a cluster. Refuses:
retries, since a command whose reply was lost may have been carried out, and only the caller knows whether a
second time does harm; to connect while it builds; and to show a password.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from dashboard.queue.cluster_client import ClusterClient
from dashboard.queue.command_packer import CommandPacker
from dashboard.queue.errors import BadAddress
from dashboard.queue.finding import Finder, SentinelFinder, SlotFinder
from dashboard.queue.seeking import SeekingClient, SeekingConnection, SeekingTlsConnection
from dashboard.queue.server_address import Place, ServerAddress
from dashboard.queue.tls import Tls
from dashboard.queue.whole_client import WholeClient

TIMEOUT_SECONDS = 2.0
"""How long an answer may take: well under the smallest threshold, so that a beat can be tried again."""

CLAIM_GRACE_SECONDS = 5.0
"""How much longer than its block time a claim waits: a server that is busy just then must not cut it."""

CONNECTIONS_BY_ROLE = {"claim": 1, "beat": 2}
"""A claim that got lost is ended by the id of its connection: there must be one only."""

PACKER = CommandPacker()

CONNECTIONS_MAX = 50
"""How many threads of a process can have a command under way; one more waits for its turn."""


@dataclass(frozen=True)
class ServerFactory:
    """Builds clients of one server: `factory("command")`, `factory("claim", block_seconds=1.0)`.

    Frozen and picklable, so that it can be handed to a child process, which then builds its own. Raises
    BadAddress for files of TLS that cannot be used.

    In a cluster `at(key)` is the factory of the node that owns the key's slot, whichever that is when a
    connection is made. The cluster's own factory builds clients that spread their commands over the nodes:
    for reading and acting on many queues, not for what belongs to one node, such as a claim.
    """

    server: ServerAddress
    timeout_seconds: float = TIMEOUT_SECONDS
    max_connections: int = CONNECTIONS_MAX
    protocol: Literal[2, 3] = 2
    slot: int | None = None
    known_places: list[Place] = field(default_factory=list, repr=False, compare=False)
    """Sentinels or nodes to ask, the last that answered first; shared by all that comes of one factory."""

    def __post_init__(self) -> None:
        """Try the files of TLS; raises BadAddress."""
        if not self.known_places:
            self.known_places.extend(self.server.hosts)
        if self.server.tls is not None and self.slot is None:
            try:
                self.server.tls.check()
            except ValueError as error:
                raise BadAddress(str(error)) from None

    @classmethod
    def from_url(
        cls, url: str, *, ca_file: str = "", certificate_file: str = "", key_file: str = "", **options: Any
    ) -> ServerFactory:
        """Build the factory of a URL; the files are for TLS, where the URL names none.

        Raises BadAddress, which never repeats the URL.
        """
        try:
            server = ServerAddress.parse(url)
        except ValueError as error:
            raise BadAddress(f"The Redis URL {error}.") from None
        files = (ca_file, certificate_file, key_file)
        if any(files):
            if server.tls is None:
                raise BadAddress(
                    "The Redis URL must begin with rediss:// for the TLS files that are given "
                    "(or with rediss+sentinel://, rediss+cluster://)."
                )
            server = replace(server, tls=server.tls.or_else(*files))
        return cls(server, **options)

    @property
    def address(self) -> str:
        """Where the server is, without its password: what screens, logs and errors show."""
        return str(self.server)

    @property
    def is_cluster(self) -> bool:
        """Whether keys live on several nodes, each of them on the one that owns its slot."""
        return self.server.kind == "cluster"

    def at(self, key: bytes) -> ServerFactory:
        """Return the factory for what lives beside a key: in a cluster on the owner of its slot."""
        return self.at_slot(key_slot(key)) if self.is_cluster else self

    def at_slot(self, slot: int) -> ServerFactory:
        """Return the factory for the owner of a slot of the cluster."""
        return replace(self, slot=slot)

    def owned_slots(self) -> list[int]:
        """Return one slot of each node of the cluster that owns any. Asks; raises redis.ConnectionError."""
        return self._slot_finder(0).owners()

    def __call__(self, role: str, block_seconds: float = 0) -> redis.Redis:
        """Return a client for one role, known to the server as `watchkeeper:<role>`; answers are bytes.

        `block_seconds` is the longest that a blocking command of the role "claim" waits. A full pool waits
        for a connection as long as an answer may take, then raises redis.ConnectionError.
        """
        if self.is_cluster and self.slot is None:
            return ClusterClient(list(self.server.hosts), self._options(role, 0))  # type: ignore[return-value]
        finder = self._finder()
        pool: Any = redis.BlockingConnectionPool(  # type: ignore[no-untyped-call]
            max_connections=CONNECTIONS_BY_ROLE.get(role, self.max_connections),
            timeout=self.timeout_seconds,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=0,
            **self._options(role, block_seconds),
            **(self._given_place() if finder is None else self._found_place(finder)),
        )
        return WholeClient.from_pool(pool) if finder is None else SeekingClient.from_pool(pool)

    def _options(self, role: str, block_seconds: float) -> dict[str, Any]:
        patience = self.timeout_seconds
        if role == "claim":
            patience += block_seconds + CLAIM_GRACE_SECONDS
        return {
            "client_name": f"watchkeeper:{role}",
            "username": self.server.username,
            "password": self.server.password,
            "decode_responses": False,
            "protocol": self.protocol,
            "socket_timeout": patience,
            "socket_connect_timeout": self.timeout_seconds,
            # Off: they need RESP3, and they stretch time-outs behind the back of the caller.
            "maint_notifications_config": MaintNotificationsConfig(enabled=False),
            # No CLIENT SETINFO: two round trips a connection, and a permission more.
            "driver_info": None,
            "command_packer": PACKER,
            **self._tls_options(ssl=self.is_cluster and self.slot is None),
        }

    def _tls_options(self, *, ssl: bool) -> dict[str, Any]:
        tls: Tls | None = self.server.tls
        if tls is None:
            return {}
        return tls.options() | ({"ssl": True} if ssl else {})

    def _given_place(self) -> dict[str, Any]:
        server = self.server
        if server.kind == "socket":
            return {
                "connection_class": redis.UnixDomainSocketConnection,
                "path": server.path,
                "db": server.database,
            }
        host, port = server.hosts[0]
        kind = redis.Connection if server.tls is None else redis.SSLConnection
        return {"connection_class": kind, "host": host, "port": port, "db": server.database}

    def _found_place(self, finder: Finder) -> dict[str, Any]:
        kind = SeekingConnection if self.server.tls is None else SeekingTlsConnection
        return {"connection_class": kind, "finder": finder, "db": self.server.database}

    def _finder(self) -> Finder | None:
        if self.server.kind == "sentinel":
            return SentinelFinder(self.known_places, self.server.service, self._open)
        return None if self.slot is None else self._slot_finder(self.slot)

    def _slot_finder(self, slot: int) -> SlotFinder:
        return SlotFinder(self.server.hosts, self.known_places, slot, self._open)

    def _open(self, place: Place) -> redis.Connection:
        """Return an unconnected connection to a Sentinel or node, to ask it where the server is."""
        is_sentinel = self.server.kind == "sentinel"
        kind = redis.Connection if self.server.tls is None else redis.SSLConnection
        return kind(
            host=place[0],
            port=place[1],
            username=self.server.sentinel_username if is_sentinel else self.server.username,
            password=self.server.sentinel_password if is_sentinel else self.server.password,
            protocol=2,
            client_name="watchkeeper:finder",
            socket_timeout=self.timeout_seconds,
            socket_connect_timeout=self.timeout_seconds,
            driver_info=None,
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
            **self._tls_options(ssl=False),
        )
