"""The server behind the queues: what INFO says about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RedisHealth:
    """A few fields of INFO, at most two seconds old."""

    #: "9.1.0"
    version: str
    #: "Valkey" or "Redis"
    server_kind: str
    #: "master" or "slave", as the server says
    role: str
    #: "standalone", "sentinel" or "cluster"
    mode: str
    memory_used_bytes: int
    #: 0 = no limit
    memory_limit_bytes: int
    #: maxmemory-policy
    eviction_policy: str
    #: "AOF always", "AOF everysec", "AOF no", "AOF", "snapshots only", "none", "unknown"
    persistence: str
    loading: bool
    uptime_seconds: int
    #: keys in the database that is looked at
    key_count: int
    fetched_at: float
