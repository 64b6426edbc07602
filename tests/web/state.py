"""Everything that a queue's keys hold, to compare before and after an act.

Owns: reading the wire keys and the trash of all queues. Refuses: bookkeeping (events, stats, acts), which
no job depends on; its own tests look at it.
"""

from __future__ import annotations

from typing import Any

import redis

WIRE = (b"pending", b"delayed", b"dead", b"heartbeats")
State = dict[str, Any]


def state(client: redis.Redis) -> State:
    """Lists as lists, hashes as dicts, sorted sets as member to score, the trash as raws; by key."""
    found: State = {}
    for key in client.scan_iter(count=1000):
        last = key.rpartition(b":")[2]
        if last in WIRE or b":processing:" in key:
            found[key.decode("utf-8", "backslashreplace")] = value(client, key)
        elif last == b"trash":
            found[key.decode("utf-8", "backslashreplace")] = [
                fields[b"raw"] for _, fields in entries(client, key)
            ]
    return found


def entries(client: redis.Redis, key: bytes) -> list[tuple[bytes, dict[bytes, bytes]]]:
    """The entries of a stream."""
    found: Any = client.xrange(key)
    return list(found)


def value(client: redis.Redis, key: bytes) -> object:
    """What a key holds."""
    kind = client.type(key)
    if kind == b"list":
        return client.lrange(key, 0, -1)
    if kind == b"hash":
        return client.hgetall(key)
    if kind == b"zset":
        members: Any = client.zrange(key, 0, -1, withscores=True)
        return dict(members)
    return client.dump(key)


def without(before: State, key: str, *gone: bytes) -> State:
    """The same with some entries of one list or sorted set gone (each once); an emptied key is no more."""
    after = dict(before)
    left = list(after.pop(key)) if isinstance(before[key], list) else dict(after.pop(key))
    for entry in gone:
        left.remove(entry) if isinstance(left, list) else left.pop(entry)
    return after | ({key: left} if left else {})
