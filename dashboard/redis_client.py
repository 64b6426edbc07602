"""The only place where a Redis client is built.

Owns: from a URL to a client (TCP, TLS, unix socket) for one role, with its time-outs, its name and its
bounded pool. Refuses: retries, since a command whose reply was lost may have been carried out, and only
the caller knows whether a second time does harm; and to show a password.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self
from urllib.parse import unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from dashboard.settings import Settings, SettingsError, parsing

# A blocked claim answers within its block time; what comes on top is for a server that is busy just then.
CLAIM_GRACE_SECONDS = 5.0
# A claim that got lost is ended by the name of its connection: there must be one only.
CONNECTIONS_BY_ROLE = {"claim": 1, "beat": 2}
DEFAULT_MAX_CONNECTIONS = 16
DEFAULT_PORT = 6379


@dataclass(frozen=True, slots=True)
class ClientFactory:
    """Builds clients of one server: `factory("command")`, `factory("claim", block_seconds=1.0)`.

    Frozen and picklable, so that it can be handed to a child process, which then builds its own. Raises
    SettingsError for a URL that cannot be used. Building a client connects to nothing.
    """

    url: str = field(repr=False)
    timeout_seconds: float = 2.0
    max_connections: int = DEFAULT_MAX_CONNECTIONS
    protocol: Literal[2, 3] = 2

    def __post_init__(self) -> None:
        """Check the URL; raises SettingsError."""
        try:
            parsing.redis_url(self.url)
        except ValueError as error:
            raise SettingsError(f"The Redis URL {error}.") from None

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The factory for the server of the settings; its pools have room for every thread of the web."""
        return cls(
            url=settings.redis_url,
            timeout_seconds=settings.redis_timeout_seconds,
            max_connections=max(DEFAULT_MAX_CONNECTIONS, settings.web_threads * 2),
        )

    @property
    def address(self) -> str:
        """Which server this is, without its password: what screens, logs and errors show."""
        return describe(self.url)

    def __call__(self, role: str, block_seconds: float = 0) -> redis.Redis:
        """A client for one role, known to the server as `watchkeeper:<role>`; answers are bytes.

        `block_seconds` is the longest that a blocking command of the role "claim" waits. A full pool waits
        for a connection as long as an answer may take, then raises redis.ConnectionError.
        """
        patience = self.timeout_seconds
        if role == "claim":
            patience += block_seconds + CLAIM_GRACE_SECONDS
        pool = redis.BlockingConnectionPool.from_url(
            self.url,
            max_connections=CONNECTIONS_BY_ROLE.get(role, self.max_connections),
            timeout=self.timeout_seconds,
            client_name=f"watchkeeper:{role}",
            decode_responses=False,
            protocol=self.protocol,
            socket_timeout=patience,
            socket_connect_timeout=self.timeout_seconds,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=0,
            # Off: they need RESP3, and they stretch time-outs behind the back of the caller.
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
            # No CLIENT SETINFO: two round trips a connection, and a permission more.
            driver_info=None,
        )
        return redis.Redis.from_pool(pool)


def describe(url: str) -> str:
    """Host, port and database of a Redis URL, without user and password: "127.0.0.1:6379/0".

    A socket is "unix:/run/redis.sock/0". Text that is no such URL gives "an unreadable address".
    """
    try:
        parsing.redis_url(url)
    except ValueError:
        return "an unreadable address"
    parts = urlsplit(url)
    database = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair).get("db")
    if parts.scheme == "unix":
        return f"unix:{unquote(parts.path)}/{database or 0}"
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{parts.port or DEFAULT_PORT}/{database or parts.path.removeprefix('/') or 0}"
