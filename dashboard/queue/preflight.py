"""What is asked of a server before a job is touched, and what is said about its settings.

Owns: whether it answers, is new enough and lets its user do what a part needs; warnings about eviction and
persistence. Refuses: to write anything, and to need INFO or CONFIG: what is not told is not judged.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

import redis

from dashboard.queue.errors import ServerRefused, translated
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.permissions import Part, ask, needed_by, sentence

log = logging.getLogger(__name__)

OLDEST_VERSION = (6, 2)
"""LMOVE, BLMOVE and ZRANGE BYSCORE came with it."""


def preflight(wanted: Iterable[tuple[redis.Redis, QueueKeys | None]], part: Part) -> list[str]:
    """Look at servers before a worker or janitor begins; log and return the warnings.

    `wanted` are the queues, each with a client of its server; None stands for queues that are found later.
    Raises ServerAway, and ServerRefused with one sentence for a server that is too old or does not let its
    user give a command that `part` cannot do without. No key was touched then.
    """
    asked: list[redis.Redis] = []
    warnings: dict[str, None] = {}
    for client, q in wanted:
        if client not in asked:
            check_server(client)
            warnings.update(dict.fromkeys(server_warnings(client)))
            asked.append(client)
        if q is not None:
            warnings.update(dict.fromkeys(_parts_that_are_off(client, q, part)))
    for warning in warnings:
        log.warning("%s", warning)
    return list(warnings)


def check_server(client: redis.Redis) -> str:
    """Return the server's version, "" when it does not say.

    Raises ServerAway, or ServerRefused for one that is too old or does not let us in.
    """
    with translated():
        client.ping()
    version = str(_told(client, "INFO", "server").get("redis_version", ""))
    parts = version.split(".")
    if all(part.isdigit() for part in parts[:2]) and tuple(int(part) for part in parts[:2]) < OLDEST_VERSION:
        raise ServerRefused(
            "VERSION", f"Redis {version} is too old: 6.2 or newer is needed. No job was touched."
        )
    return version


def server_warnings(client: redis.Redis) -> list[str]:
    """Return a sentence for each setting of the server that puts jobs at risk. Raises ServerAway."""
    policy = str(_told(client, "INFO", "memory").get("maxmemory_policy", ""))
    aof_enabled = _told(client, "INFO", "persistence").get("aof_enabled")
    return [*_eviction(policy), *_persistence(client, aof_enabled)]


def _parts_that_are_off(client: redis.Redis, q: QueueKeys, part: Part) -> Iterator[str]:
    denied = ask(client, q, needed_by(part))
    if fatal := [one for one in denied if not one.needed.without]:
        raise ServerRefused("NOPERM", sentence(fatal, readable(q.queue)))
    off: dict[str, list[str]] = {}
    for one in denied:
        off.setdefault(one.needed.without, []).append(one.needed.command)
    for without, commands in off.items():
        yield f"Redis does not allow its user {' and '.join(dict.fromkeys(commands))}, so {without}."


def _eviction(policy: str) -> Iterator[str]:
    if policy.startswith("volatile-"):
        yield (
            f"Redis may forget dedup keys and marks of done jobs before their time when its memory is full: "
            f"maxmemory-policy is {policy}, noeviction keeps them."
        )
    elif policy not in ("", "noeviction"):
        yield (
            f"Redis may throw jobs away when its memory is full: maxmemory-policy is {policy}, "
            f"noeviction refuses new ones instead."
        )


def _persistence(client: redis.Redis, aof_enabled: object) -> Iterator[str]:
    if str(aof_enabled) == "0" and _told(client, "CONFIG GET", "save").get("save") == "":
        yield (
            "Redis forgets all jobs when it restarts: neither appendonly nor save is on, "
            "so no promise outlives the server."
        )


def _told(client: redis.Redis, command: str, what: str) -> dict[str, Any]:
    """Return what the server tells, {} where it does not tell this user. Raises ServerAway, ServerRefused."""
    try:
        with translated():
            answer: Any = client.info(what) if command == "INFO" else client.config_get(what)
    except ServerRefused as error:
        if error.code in ("NOPERM", "ERR"):
            return {}
        raise
    return {_text(name): _text(value) for name, value in answer.items()}


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
