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
    prefix = queue.queue + b":"
    for key, value in all_values(client).items():
        part = key[len(prefix) :] if key.startswith(prefix) else key
        name = part.decode("utf-8", "backslashreplace")
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


def all_values(client: redis.Redis) -> dict[bytes, Any]:
    """Every key with its value as plain Python, in two more round trips."""
    keys = all_keys(client)
    with client.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.type(key)
        for key, kind in zip(keys, pipe.execute(), strict=True):
            ask(pipe, key, kind)
        return {key: plain(value) for key, value in zip(keys, pipe.execute(), strict=True)}


def value_of(client: redis.Redis, key: bytes) -> Any:
    """One key's value as plain Python; None when it is not there."""
    return plain(ask(client, key, client.type(key)))


def ask(client: redis.Redis, key: bytes, kind: Any) -> Any:
    """Give the command that reads all of a key of that type."""
    match kind:
        case b"list":
            return client.lrange(key, 0, -1)
        case b"hash":
            return client.hgetall(key)
        case b"zset":
            return client.zrange(key, 0, -1, withscores=True)
        case b"set":
            return client.smembers(key)
        case b"stream":
            return client.xrange(key)
        case _:
            return client.get(key)


def plain(value: Any) -> Any:
    """A value without the ids of a stream's entries, and pairs as tuples."""
    if isinstance(value, list) and value and isinstance(value[0], list | tuple):
        pairs = [tuple(pair) for pair in value]
        return [second if isinstance(second, dict) else (first, second) for first, second in pairs]
    return value


def changed(before: Keyspace, changes: Mapping[str, Any]) -> Keyspace:
    """The keyspace `before` with `changes` laid over it; None stands for a key that is gone."""
    after = before | dict(changes)
    return {name: value for name, value in after.items() if value is not None}


def dumps(client: redis.Redis) -> dict[bytes, bytes]:
    """Every key as the server itself writes it down: equal dumps are equal to the last byte."""
    keys = all_keys(client)
    with client.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.dump(key)
        return dict(zip(keys, pipe.execute(), strict=True))


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
