"""Every key of a database as plain values, to state what was there before a call and what is there after.

Owns: reading all of it, whatever its types, and naming what changed. Refuses: to leave a key out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import redis

from dashboard.queue.keys import TOMBSTONE, QueueKeys

Keyspace = dict[str, Any]


def snapshot(client: redis.Redis, queue: QueueKeys) -> Keyspace:
    """All keys with their values; keys of `queue` by what follows its name, others as they are.

    Lists are lists of bytes from the left, hashes dicts, sorted sets lists of (member, score) in order,
    streams lists of their entries' fields without ids. Records of acts and tombstones are read as JSON.
    """
    found: Keyspace = {}
    for key in all_keys(client):
        prefix = queue.queue + b":"
        part = key[len(prefix) :] if key.startswith(prefix) else key
        name = part.decode("utf-8", "backslashreplace")
        value = value_of(client, key)
        if name.startswith("acts:") and isinstance(value, bytes):
            value = as_json(value)
        if name == "workers" and isinstance(value, dict):
            value = {
                field: as_json(item) if field.startswith(TOMBSTONE) else item for field, item in value.items()
            }
        found[name] = value
    return found


def all_keys(client: redis.Redis) -> list[bytes]:
    """The names of all keys, sorted."""
    names: Any = client.keys()
    return sorted(names)


def value_of(client: redis.Redis, key: bytes) -> Any:
    """One key's value as plain Python; None when it is not there."""
    match client.type(key):
        case b"list":
            return client.lrange(key, 0, -1)
        case b"hash":
            return client.hgetall(key)
        case b"zset":
            return [tuple(pair) for pair in client.zrange(key, 0, -1, withscores=True)]
        case b"set":
            return client.smembers(key)
        case b"stream":
            entries: Any = client.xrange(key)
            return [fields for _, fields in entries]
        case b"string":
            return client.get(key)
        case _:
            return None


def changed(before: Keyspace, changes: Mapping[str, Any]) -> Keyspace:
    """The keyspace `before` with `changes` laid over it; None stands for a key that is gone."""
    after = before | dict(changes)
    return {name: value for name, value in after.items() if value is not None}


def dumps(client: redis.Redis) -> dict[bytes, bytes]:
    """Every key as the server itself writes it down: equal dumps are equal to the last byte."""
    return {key: client.dump(key) or b"" for key in all_keys(client)}


def event(kind: str, **fields: bytes | str | int) -> dict[bytes, bytes]:
    """One entry of `{q}:events`."""
    return {b"event": kind.encode()} | {name.encode(): as_bytes(value) for name, value in fields.items()}


def as_bytes(value: bytes | str | int) -> bytes:
    """What Redis stores for a value."""
    return value if isinstance(value, bytes) else str(value).encode()


def as_json(value: bytes) -> Any:
    """The value read as JSON, or as it is where it is none."""
    try:
        return json.loads(value)
    except ValueError:
        return value
