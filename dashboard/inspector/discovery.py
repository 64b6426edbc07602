"""Which queues there are: named in settings, registered, or met in the key space.

Owns: the search by exact suffix and type, its progress, and the processing lists that it met. Refuses: KEYS,
to touch a key that it meets (SCAN and TYPE only), and to hold up a page: on a page it looks once, and only
where the database is small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import redis

from dashboard.inspector.key_space import HEAD_PATTERN, KEY_PATTERN, KeySpace
from dashboard.inspector.reading import Ask, Reader, raised
from dashboard.inspector.snapshots import ScanState
from dashboard.queue.errors import translated
from dashboard.queue.keys import REGISTRY, QueueKeys
from dashboard.queue.permissions import is_closed_key

KEYS_ON_A_PAGE = 20_000
"""Keys up to which a page searches by itself: one SCAN over them takes the server about five milliseconds."""

REGISTERED_AT_ONCE = 2_000
"""Registered names that one look takes; beyond them the scan finds the queues."""

SCAN_STEP = 1_000
"""Keys of one step in the background: under half a millisecond of server time."""

STEPS_A_SWEEP = 20
"""Steps of one pass of the collector: a database of a million keys is seen once in about two minutes."""


CLOSED = b"closed"
"""Stands for the type of a key that this user of Redis may not touch: it makes no queue."""

LISTS_ON_A_PAGE = 500
"""Processing lists up to which a page looks for new ones too; more of them are the collector's alone."""


@dataclass(slots=True)
class Discovery:
    """The names known to one console process, shared by its threads. Only one may sweep at a time."""

    reader: Reader
    named: tuple[bytes, ...]
    _registered: set[bytes] = field(default_factory=set)
    _closed: dict[bytes, bool] = field(default_factory=dict)
    """Registered names that were looked at, and whether they are closed to this user of Redis."""
    _heads: KeySpace = field(default_factory=KeySpace)
    _lists: KeySpace = field(default_factory=KeySpace)
    _next_heads: KeySpace = field(default_factory=KeySpace)
    _next_lists: KeySpace = field(default_factory=KeySpace)
    _cursor: int = 0
    _scanned_count: int = 0
    _key_count: int | None = None
    _complete: bool = False
    _lock: RLock = field(default_factory=RLock)
    _is_index_off: bool = False
    _met: list[bytes] | None = None
    """The keys that the last page met, while nothing was noted since: mostly the next page meets the same."""

    def names(self) -> list[bytes]:
        """Return every queue known, sorted. Keys of foreign software with another type make no queue."""
        with self._lock:
            return sorted({*self.named, *self._open()}.union(*(space.queues() for space in self._spaces())))

    def knows(self, name: bytes) -> bool:
        """Tell whether settings or the registry name a queue, so that it is there even while it is empty."""
        return name in self.named or name in self._open()

    def _open(self) -> set[bytes]:
        return {name for name in self._registered if not self._closed.get(name)}

    def listed_workers(self, queue: bytes) -> set[bytes]:
        """Return the workers of whom a processing list was met, with or without heartbeat."""
        with self._lock:
            return self._lists.workers(queue) | self._next_lists.workers(queue)

    def state(self) -> ScanState:
        """Return how far the search is."""
        return ScanState(self._complete, self._scanned_count, self._key_count or 0)

    def page_asks(self) -> list[Ask[Any]]:
        """Return what a page asks beside its own questions; `take` reads the answers."""
        asks = _size_and_registry()
        count = self.page_scan_count()
        if count is not None:
            pattern = KEY_PATTERN if self._lists.key_count() <= LISTS_ON_A_PAGE else HEAD_PATTERN
            asks.append(_scan_ask(0, pattern, count))
        return asks

    def page_scan_count(self) -> int | None:
        """Return the COUNT with which one SCAN sees all of a small database; None where it is not small."""
        if not self._is_small() or self.reader.is_cluster:
            return None
        return min(4 * (self._key_count or 0) + SCAN_STEP, 2 * KEYS_ON_A_PAGE)

    def take(self, answers: Sequence[Any]) -> None:
        """Note what a page's look found. A look that did not reach the end only adds."""
        self._note_size_and_registry(answers[0], answers[1])
        if len(answers) > 2:
            cursor, keys, pattern = answers[2]
            if cursor != 0 or keys != self._met:
                self._note_page(cursor, *KeySpace.of(keys), has_lists=pattern == KEY_PATTERN)
                self._met = keys if cursor == 0 else None

    def _note_page(self, cursor: int, heads: KeySpace, lists: KeySpace, *, has_lists: bool) -> None:
        with self._lock:
            if cursor != 0:
                self._heads.merge(heads)
                self._lists.merge(lists)
                return
            self._heads = heads.knowing(self._heads)
            if has_lists:
                self._lists = lists.knowing(self._lists)
            self._complete, self._scanned_count = True, self._key_count or 0

    def unproven(self) -> list[bytes]:
        """Return keys whose type decides whether their queue is one, and is not known yet."""
        with self._lock:
            heads = self._heads.unproven() + self._next_heads.unproven()
            known = {*self.named, *self._registered, *self._heads.queues(), *self._next_heads.queues()}
            return heads + self._lists.unproven(known) + self._next_lists.unproven(known)

    def prove(self, types: Mapping[bytes, bytes]) -> None:
        """Take the types of keys."""
        with self._lock:
            for space in self._spaces():
                space.prove(types)

    def sweep(self) -> None:
        """Go on searching: all of a small database, some steps of a large one. Asks the types of what it met.

        Raises ServerAway and ServerRefused.
        """
        self._note_size_and_registry(*self.reader.all(_size_and_registry()))
        if self.reader.is_cluster:
            with translated():
                heads, lists = KeySpace.of(self.reader.client.scan_iter(KEY_PATTERN, count=SCAN_STEP))
            self._settle(heads, lists)
        else:
            self._steps()
        unproven, fresh = self.unproven(), self._registered - self._closed.keys()
        asks = [type_ask(key) for key in (*unproven, *(QueueKeys.found(name).pending for name in fresh))]
        types = self.reader.all(asks)
        self.prove(dict(zip(unproven, types[: len(unproven)], strict=True)))
        closed = {name: kind == CLOSED for name, kind in zip(fresh, types[len(unproven) :], strict=True)}
        self._closed = {name: self._closed[name] for name in self._registered & self._closed.keys()} | closed

    def _steps(self) -> None:
        is_small = self._is_small()
        steps, step = (2 * STEPS_A_SWEEP, 5 * SCAN_STEP) if is_small else (STEPS_A_SWEEP, SCAN_STEP)
        for _ in range(steps):
            ask = _scan_ask(self._cursor, KEY_PATTERN, step, needed=not self.named and self._is_index_off)
            self._cursor, keys, _ = self.reader.one(ask)
            heads, lists = KeySpace.of(keys)
            with self._lock:
                self._next_heads.merge(heads)
                self._next_lists.merge(lists)
            self._scanned_count = min(self._scanned_count + step, self._key_count or 0)
            if self._cursor == 0:
                with self._lock:
                    heads, self._next_heads = self._next_heads, KeySpace()
                    lists, self._next_lists = self._next_lists, KeySpace()
                    self._settle(heads, lists)
                return

    def _settle(self, heads: KeySpace, lists: KeySpace) -> None:
        with self._lock:
            self._heads, self._lists = heads.knowing(self._heads), lists.knowing(self._lists)
            self._met = None
        self._complete = True
        self._scanned_count = self._key_count or 0 if self._is_small() else 0

    def _spaces(self) -> tuple[KeySpace, ...]:
        return self._heads, self._lists, self._next_heads, self._next_lists

    def _note_size_and_registry(self, size: Any, registered: Any) -> None:
        self._key_count = None if isinstance(size, Exception) else int(size)
        self._is_index_off = isinstance(registered, Exception)
        self._registered = set() if isinstance(registered, Exception) else set(registered[1]) - {b""}

    def _is_small(self) -> bool:
        return self._key_count is not None and self._key_count < KEYS_ON_A_PAGE


def type_ask(key: bytes) -> Ask[bytes]:
    """Return the question after a key's type; CLOSED where this user may not ask."""
    return Ask((("TYPE", key),), _kind, tolerant=True)


def _kind(replies: list[Any]) -> bytes:
    return CLOSED if is_closed_key(replies[0]) else bytes(raised(replies[0]))


def _size_and_registry() -> list[Ask[Any]]:
    registry = ("SSCAN", REGISTRY, 0, "COUNT", REGISTERED_AT_ONCE)
    return [
        Ask((("DBSIZE",),), lambda replies: replies[0], tolerant=True),
        Ask((registry,), lambda replies: replies[0], tolerant=True),
    ]


def _scan_ask(
    cursor: int, pattern: bytes, count: int, *, needed: bool = False
) -> Ask[tuple[int, list[bytes], bytes]]:
    """Return one step of the search. Where it is denied nothing is found; an error if it is `needed`."""
    command = ("SCAN", cursor, "MATCH", pattern, "COUNT", count)

    def read(replies: list[Any]) -> tuple[int, list[bytes], bytes]:
        if isinstance(replies[0], redis.exceptions.NoPermissionError) and not needed:
            return 0, [], pattern
        cursor, keys = raised(replies[0])
        return int(cursor), list(keys), pattern

    return Ask((command,), read, tolerant=True)
