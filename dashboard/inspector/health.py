"""The server's own state, from INFO and two settings, at most two seconds old.

Owns: which fields matter and what they are called here. Refuses: to be needed: a server that denies INFO or
CONFIG still gets its pages, with what is unknown said to be unknown.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from dashboard.inspector.reading import Ask, Reader
from dashboard.inspector.snapshots import RedisHealth

FRESH_SECONDS = 2.0
"""For so long one INFO serves all pages."""

_CONFIG = ("appendfsync", "save")


class HealthDesk:
    """Keeps the latest health and knows when to ask again."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._asked_at = float("-inf")
        self._latest: RedisHealth | None = None

    def asks(self) -> list[Ask[Any]]:
        """Return the questions, or none while the last answers are fresh. `take` reads the answers."""
        if self._latest is not None and time.monotonic() - self._asked_at < FRESH_SECONDS:
            return []
        return [
            Ask((("INFO",),), lambda replies: replies[0], tolerant=True),
            *(Ask((("CONFIG GET", name),), lambda replies: replies[0], tolerant=True) for name in _CONFIG),
        ]

    def take(self, answers: list[Any], now: float) -> RedisHealth:
        """Return the health after these answers; with none, the latest."""
        if answers:
            info, *configs = (_texts(answer) for answer in answers)
            settings = {name: value for config in configs for name, value in config.items()}
            self._latest = health_of(info, settings, self._database(), now)
            self._asked_at = time.monotonic()
        return self._latest or health_of({}, {}, 0, now)

    def current(self) -> RedisHealth:
        """Return the health, asking in a trip of its own when it is not fresh."""
        return self.take(self._reader.all(self.asks()), self._reader.clock.now())

    def _database(self) -> int:
        pool = getattr(self._reader.client, "connection_pool", None)
        return int(pool.connection_kwargs.get("db", 0) or 0) if pool is not None else 0


def health_of(info: Mapping[str, Any], settings: Mapping[str, Any], database: int, now: float) -> RedisHealth:
    """Return the health that INFO and CONFIG tell; what they do not tell is "unknown" or 0."""
    is_valkey = info.get("server_name") == "valkey"
    keys = info.get(f"db{database}")
    return RedisHealth(
        version=str(info.get("valkey_version" if is_valkey else "redis_version", "unknown")),
        server_kind="Valkey" if is_valkey else "Redis",
        role=str(info.get("role", "unknown")),
        mode=str(info.get("server_mode" if is_valkey else "redis_mode", "unknown")),
        memory_used_bytes=_number(info.get("used_memory")),
        memory_limit_bytes=_number(info.get("maxmemory")),
        eviction_policy=str(info.get("maxmemory_policy", "unknown")),
        persistence=persistence_of(info, settings),
        loading=bool(_number(info.get("loading"))),
        uptime_seconds=_number(info.get("uptime_in_seconds")),
        key_count=_number(keys.get("keys")) if isinstance(keys, dict) else 0,
        fetched_at=now,
    )


def persistence_of(info: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return how writes survive a crash, as far as the server tells."""
    if "aof_enabled" not in info:
        return "unknown"
    if _number(info["aof_enabled"]):
        return f"AOF {settings['appendfsync']}" if settings.get("appendfsync") else "AOF"
    if "save" not in settings:
        return "unknown"
    return "snapshots only" if str(settings["save"]).strip() else "none"


def _number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


def _texts(answer: Any) -> dict[str, Any]:
    """Return a reply's fields by text name; a refusal has none."""
    if not isinstance(answer, dict):
        return {}
    return {
        _text(name): _text(value) if isinstance(value, bytes) else value for name, value in answer.items()
    }


def _text(value: Any) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
