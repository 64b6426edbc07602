"""Keys that look like parts of a queue, and which of them really are, by their type.

Owns: recognising a key by its exact suffix, and what is known of its type. Refuses: to talk to Redis.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from dashboard.queue.keys import split_key

KEY_PATTERN = b"*:[pdht][er][nalo]*"
"""One glob that lets pending, delayed, dead, heartbeats, trash and processing keys through."""

HEAD_PATTERN = b"*:[pdht][er][nal]*"
"""The same without the processing lists, of which there may be ten thousand."""

TYPES = {
    b"pending": b"list",
    b"dead": b"list",
    b"delayed": b"zset",
    b"heartbeats": b"hash",
    b"processing": b"list",
    b"trash": b"stream",
}
"""Part of a queue to the type that makes a met key count as one."""

PROOFS_A_QUEUE = 6
"""Keys of one queue whose type is asked at a time: each of its own, or some of its processing lists."""


def part_of(key: bytes) -> tuple[bytes, bytes, bytes | None] | None:
    """Return queue, part and worker of a key that looks like part of a queue, else None."""
    found = split_key(key)
    if found is None and key.endswith(b":trash") and len(key) > len(b":trash"):
        return key[: -len(b":trash")], b"trash", None
    return found


@dataclass(slots=True)
class KeySpace:
    """What one look over the key space met: keys by queue, their part, and their types where known."""

    _parts: dict[bytes, dict[bytes, bytes]] = field(default_factory=dict)
    _workers: dict[bytes, set[bytes]] = field(default_factory=dict)
    _types: dict[bytes, bytes] = field(default_factory=dict)
    _proven: frozenset[bytes] | None = None
    """Kept from one question to the next: a page asks several times."""

    @classmethod
    def of(cls, keys: Iterable[bytes]) -> tuple[KeySpace, KeySpace]:
        """Return two: the queues' own keys, and the processing lists. Other keys are passed over."""
        heads, lists = cls(), cls()
        for key in keys:
            found = part_of(key)
            if found is None:
                continue
            queue, part, worker = found
            space = heads if worker is None else lists
            space._parts.setdefault(queue, {})[key] = part
            if worker is not None:
                space._workers.setdefault(queue, set()).add(worker)
        return heads, lists

    def merge(self, other: KeySpace) -> None:
        """Add what another look met."""
        for queue, keys in other._parts.items():
            self._parts.setdefault(queue, {}).update(keys)
        for queue, workers in other._workers.items():
            self._workers.setdefault(queue, set()).update(workers)
        self._types.update(other._types)
        self._proven = None

    def knowing(self, before: KeySpace) -> KeySpace:
        """Return self with the types that were known of the same keys; a key that was away is asked again."""
        types = before._types
        for keys in self._parts.values():
            for key in keys:
                if key in types:
                    self._types.setdefault(key, types[key])
        self._proven = None
        return self

    def queues(self) -> frozenset[bytes]:
        """Return the queues of which at least one key has the right type."""
        if self._proven is None:
            self._proven = frozenset(queue for queue, keys in self._parts.items() if self._is_proven(keys))
        return self._proven

    def workers(self, queue: bytes) -> set[bytes]:
        """Return the workers whose processing list was met."""
        return self._workers.get(queue, set())

    def key_count(self) -> int:
        """Return how many keys were met."""
        return sum(len(keys) for keys in self._parts.values())

    def unproven(self, known: Container[bytes] = ()) -> list[bytes]:
        """Return keys to ask the type of: a few of each queue that is not `known` and not proven yet."""
        asked: list[bytes] = []
        proven = self.queues()
        for queue, keys in self._parts.items():
            if queue not in known and queue not in proven:
                asked += [key for key in keys if key not in self._types][:PROOFS_A_QUEUE]
        return asked

    def prove(self, types: Mapping[bytes, bytes]) -> None:
        """Take the types of keys; those that were not met here are passed over."""
        met = {key for keys in self._parts.values() for key in keys} if types else set()
        self._types.update({key: kind for key, kind in types.items() if key in met})
        if types:
            self._proven = None

    def _is_proven(self, keys: Mapping[bytes, bytes]) -> bool:
        return any(self._types.get(key) == TYPES[part] for key, part in keys.items() if key in self._types)
