"""Where the server is: one grammar of URLs, for a server, a socket, Sentinels and a cluster.

    redis://user:password@host:6379/0          rediss://…    the same over TLS
    unix://user:password@/run/redis.sock?db=0
    redis+sentinel://user:password@host1:26379,host2:26379/service/0
    redis+cluster://user:password@host1:7000,host2:7001

Owns: reading a URL, and saying where it leads without user and password. Refuses: to connect, and options
that would undo what the queue relies on (time-outs, retries, decoding); redis-py would take them silently.

What is wrong is a ValueError with the rest of a sentence ("must name a host"), which never repeats the URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from dashboard.queue.tls import QUERY as TLS_QUERY
from dashboard.queue.tls import Tls

Kind = Literal["server", "socket", "sentinel", "cluster"]
Place = tuple[str, int]
"""Host and port."""

SCHEMES: dict[str, tuple[Kind, bool]] = {
    "redis": ("server", False),
    "rediss": ("server", True),
    "unix": ("socket", False),
    "redis+sentinel": ("sentinel", False),
    "rediss+sentinel": ("sentinel", True),
    "redis+cluster": ("cluster", False),
    "rediss+cluster": ("cluster", True),
}
PORTS = {"server": 6379, "sentinel": 26379, "cluster": 6379, "socket": 0}
QUERY = frozenset({"db", "sentinel_username", "sentinel_password"}) | TLS_QUERY

UNREADABLE = "cannot be read as scheme://user:password@host:port/database (write marks in a password as %XX)"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """One server, or those to ask for it: Sentinels, or nodes of a cluster. Its repr shows no password."""

    kind: Kind = "server"
    hosts: tuple[Place, ...] = ()
    """The server, or the Sentinels or nodes to ask."""
    path: str = ""
    """The socket."""
    service: str = ""
    """What Sentinels call the primary."""
    database: int = 0
    tls: Tls | None = None
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    sentinel_username: str | None = field(default=None, repr=False)
    sentinel_password: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str) -> ServerAddress:
        """Read a URL; raises ValueError with the rest of a sentence."""
        scheme, mark, _ = url.partition("://")
        if not mark or scheme not in SCHEMES:
            raise ValueError(
                "must begin with redis://, rediss:// (TLS), unix://, redis+sentinel:// or redis+cluster://"
            )
        kind, is_tls = SCHEMES[scheme]
        parts, query = _split(url)
        user, at, hosts = parts.netloc.rpartition("@")
        if not at and kind == "socket":
            hosts = parts.netloc
        name, _, password = user.partition(":")
        service, database = _path(kind, parts, query.get("db", ""))
        if is_tls:
            tls = Tls.of_query(query)
        elif chosen := sorted(TLS_QUERY.intersection(query)):
            raise ValueError(f"has options of TLS ({', '.join(chosen)}): it must begin with rediss:// then")
        else:
            tls = None
        if kind != "sentinel" and any(option.startswith("sentinel_") for option in query):
            raise ValueError("has options for Sentinels: it must begin with redis+sentinel:// then")
        return cls(
            kind=kind,
            hosts=_hosts(kind, hosts),
            path=unquote(parts.path) if kind == "socket" else "",
            service=service,
            database=database,
            tls=tls,
            username=unquote(name) or None,
            password=unquote(password) or None,
            sentinel_username=query.get("sentinel_username") or None,
            sentinel_password=query.get("sentinel_password") or None,
        )

    def __str__(self) -> str:
        """Where it leads, for screens and logs: "127.0.0.1:6379/0", "unix:/run/redis.sock/0"."""
        if self.kind == "socket":
            return f"unix:{self.path}/{self.database}"
        hosts = self.shown_hosts
        if self.kind == "cluster":
            return f"cluster {hosts}"
        return f"{self.service} by {hosts}/{self.database}" if self.service else f"{hosts}/{self.database}"

    @property
    def shown_hosts(self) -> str:
        """The hosts with their ports, as in a URL."""
        return ",".join(shown(place) for place in self.hosts)


def shown(place: Place) -> str:
    """Host and port as one text; an IPv6 address stands in brackets."""
    host, port = place
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _split(url: str) -> tuple[SplitResult, dict[str, str]]:
    # urlsplit quotes the password in some of its own errors: none of them may get through.
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise ValueError(UNREADABLE) from None
    query = dict(pairs)
    if unknown := sorted(set(query) - QUERY):
        raise ValueError(f"has options that cannot be given in the URL: {', '.join(unknown)}")
    if parts.fragment:
        raise ValueError("must not contain # (write it %23)")
    return parts, query


def _path(kind: Kind, parts: SplitResult, chosen: str) -> tuple[str, int]:
    """Return the Sentinels' service, "" without them, and the number of the database."""
    path, service = parts.path.removeprefix("/"), ""
    if kind == "sentinel":
        service, _, path = path.partition("/")
        if not service:
            raise ValueError("must name the service, as in redis+sentinel://host:26379/service/0")
    elif kind == "socket":
        if not parts.path.strip("/"):
            raise ValueError("must name the path of a socket, as in unix:///run/redis.sock")
        path = ""
    database = chosen or path
    if database and not re.fullmatch(r"[0-9]{1,5}", database):
        raise ValueError("must name the database by its number, as in redis://127.0.0.1:6379/0")
    if kind == "cluster" and int(database or 0):
        raise ValueError("must not name a database: a cluster has number 0 only")
    return unquote(service), int(database or 0)


def _hosts(kind: Kind, text: str) -> tuple[Place, ...]:
    if kind == "socket":
        if text:
            raise ValueError("must name the path of a socket, as in unix:///run/redis.sock")
        return ()
    hosts = tuple(_host(one, PORTS[kind]) for one in text.split(","))
    if kind == "server" and len(hosts) > 1:
        raise ValueError("must name one host; several begin with redis+sentinel:// or redis+cluster://")
    return hosts


def _host(text: str, default_port: int) -> Place:
    bracketed = re.fullmatch(r"\[([^\[\]]*)\](?::([0-9]*))?", text)
    plain = re.fullmatch(r"([^:\[\]]*)(?::([0-9]*))?", text)
    found = bracketed or plain
    if found is None:
        raise ValueError(UNREADABLE)
    host, port = unquote(found[1]), int(found[2] or default_port)
    if not 0 <= port <= 65_535:
        raise ValueError(UNREADABLE)
    if not _can_be_looked_up(host) or port == 0:
        raise ValueError("must name a host, as in redis://127.0.0.1:6379/0")
    return host, port


def _can_be_looked_up(name: str) -> bool:
    """Tell whether a name can be looked up at all: the resolver's own error would not be one of Redis."""
    try:
        return bool(name.encode("idna"))
    except UnicodeError:
        return False
