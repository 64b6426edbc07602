"""The worker rows of one page, read fresh: heartbeat, records, jobs held, the oldest of them.

Owns: that question and its reading. Refuses: to choose the rows, and to judge them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.inspector.reading import Ask, Command, Part, Reader, ScriptAsk, is_wrong_type, lua
from dashboard.inspector.rows import PREVIEW_BYTES
from dashboard.queue.answers import Entry
from dashboard.queue.job import digest
from dashboard.queue.keys import BUSY, INSTANCE, TOMBSTONE, QueueKeys, worker_field

FIRST_JOB_BYTES = 2_048
"""Of the oldest job held: its id is wanted."""

_KINDS = (INSTANCE, BUSY, TOMBSTONE)


@dataclass(frozen=True, slots=True)
class Holder:
    """One worker as it is now. Records are the bytes of `{q}:workers`; `first` is the oldest job it holds."""

    beat: bytes | None
    instance: bytes | None
    busy: bytes | None
    tombstone: bytes | None
    #: None = its processing key is no list
    held: int | None
    first: Entry | None


def holders_asks(
    rows: Sequence[tuple[QueueKeys, bytes]], reader: Reader, *, beats: bool = True
) -> list[ScriptAsk[list[Holder]]]:
    """Return the questions after these workers: one for all of them, on a cluster one each.

    Without `beats` the heartbeats were read a moment ago, and are not asked again.
    """
    size = 1 if reader.is_cluster else max(1, len(rows))
    return [_ask(rows[start : start + size], beats) for start in range(0, len(rows), size)]


def _ask(rows: Sequence[tuple[QueueKeys, bytes]], beats: bool) -> ScriptAsk[list[Holder]]:
    keys = tuple(key for q, worker in rows for key in (q.heartbeats, q.workers, q.processing(worker)))
    names = tuple(worker for _, worker in rows)
    args: tuple[Part, ...] = (FIRST_JOB_BYTES, int(beats), *names)

    def read(answer: Any) -> list[Holder]:
        return [_holder(row) for row in answer]

    return ScriptAsk(lua("holders"), keys, args, read, lambda: _plain(rows))


def _holder(row: Any) -> Holder:
    beat, instance, busy, tombstone, held, length, preview, sign = row
    first = Entry(0, length, preview, sign.decode()) if length >= 0 else None
    return Holder(beat, instance, busy, tombstone, None if held < 0 else held, first)


def _plain(rows: Sequence[tuple[QueueKeys, bytes]]) -> Ask[list[Holder]]:
    commands: list[Command] = []
    for q, worker in rows:
        commands += [
            ("HGET", q.heartbeats, worker),
            ("HMGET", q.workers, *(worker_field(kind, worker) for kind in _KINDS)),
            ("LLEN", q.processing(worker)),
            ("LINDEX", q.processing(worker), -1),
        ]

    def read(replies: list[Any]) -> list[Holder]:
        found = []
        for at in range(0, len(replies), 4):
            beat, records, held, raw = (None if is_wrong_type(one) else one for one in replies[at : at + 4])
            first = Entry(0, len(raw), raw[:PREVIEW_BYTES], digest(raw)) if raw is not None else None
            instance, busy, tombstone = records or (None, None, None)
            found.append(Holder(beat, instance, busy, tombstone, held, first))
        return found

    return Ask(tuple(commands), read)
