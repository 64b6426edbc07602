"""What stands in Redis before and after an act, and what the act changed.

Owns: both, by the full name of each key. Refuses: to leave a key out.
"""

from __future__ import annotations

import redis

from tests.support.keyspace import Keyspace, all_keys, value_of


def everything(client: redis.Redis) -> Keyspace:
    """Every key with its value."""
    return {key.decode("utf-8", "backslashreplace"): value_of(client, key) for key in all_keys(client)}


def changes(before: Keyspace, after: Keyspace) -> Keyspace:
    """The keys that are new, gone (None) or different, with what they hold afterwards."""
    names = sorted(before.keys() | after.keys())
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}
