"""Looking for one job by its exact bytes or its id, within a budget.

Owns: the question to one list and the choice among what it found. Refuses: to look further than the budget,
and to say that a job is nowhere when it stopped early.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dashboard.inspector.reading import Ask, Command, ScriptAsk, is_wrong_type, lua, scored
from dashboard.inspector.rows import PREVIEW_BYTES, row_of
from dashboard.inspector.snapshots import JobRow, Search
from dashboard.queue.address import Address
from dashboard.queue.answers import Entry
from dashboard.queue.job import digest

ENTRIES_A_LIST = 5_000
"""Entries looked at in each list: about five milliseconds of server time for jobs of one kilobyte."""

ANSWERS_A_LIST = 20
"""Candidates that one list may answer; ids are rarely shared by more."""

NONE = "\0"

_ESCAPES = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)?")
_PLAIN_RUN = re.compile(r"[A-Za-z0-9_.:@ -]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: exact bytes by `length` and `digest` (0 and "": none), or an id as rows show it."""

    id_text: str
    length: int
    digest: str

    @property
    def needle(self) -> str:
        """Return text that the job's bytes contain however its id is escaped; NONE when there is no id."""
        if not self.id_text or self.id_text.startswith("#"):
            return NONE
        runs = _PLAIN_RUN.findall(_ESCAPES.sub("\0", self.id_text.rstrip("…")))
        return max(runs, key=len, default="")

    def is_exact(self, row: JobRow) -> bool:
        """Tell whether a row has exactly the bytes."""
        return bool(self.digest) and (row.length, row.address.digest) == (self.length, self.digest)

    def is_named(self, row: JobRow) -> bool:
        """Tell whether a row has the id."""
        return bool(self.id_text) and row.id_is_text and row.id_text == self.id_text


@dataclass(frozen=True, slots=True)
class Found:
    """What one list answered."""

    total_count: int
    looked_count: int
    rows: tuple[JobRow, ...]


def find_ask(
    key: bytes, place: str, wanted: Wanted, now: float, worker: bytes | None = None
) -> ScriptAsk[Found]:
    """Return the question to one list: its first `ENTRIES_A_LIST` entries from the left, or by due time."""

    def read(answer: Any) -> Found:
        total, looked = max(0, answer[0]), answer[1]
        entries = []
        for index, length, preview, sign, score in answer[2:]:
            hint = index if place == "delayed" else total - 1 - index
            entries.append(Entry(hint, length, preview, sign.decode(), score or None))
        return _found(total, looked, entries, place, wanted, now, worker)

    args = (
        wanted.needle, 0, ENTRIES_A_LIST - 1, PREVIEW_BYTES, ANSWERS_A_LIST, wanted.length, wanted.digest,
    )  # fmt: skip
    return ScriptAsk(lua("find"), (key,), args, read, lambda: _plain(key, place, wanted, now, worker))


def best(found: Sequence[Found], wanted: Wanted) -> tuple[JobRow | None, int, Search]:
    """Return the job, how many others have its id, and how far was looked. Exact bytes come before an id."""
    rows = [row for part in found for row in part.rows]
    chosen = next((row for row in rows if wanted.is_exact(row)), rows[0] if rows else None)
    looked = sum(part.looked_count for part in found)
    total = sum(part.total_count for part in found)
    return chosen, max(0, len(rows) - 1), Search(looked, total, looked >= total)


def _found(
    total: int,
    looked: int,
    entries: Sequence[Entry],
    place: str,
    wanted: Wanted,
    now: float,
    worker: bytes | None,
) -> Found:
    rows = (row_of(place, entry, now=now, worker=worker) for entry in entries)
    return Found(total, looked, tuple(row for row in rows if wanted.is_exact(row) or wanted.is_named(row)))


PLAIN_ENTRIES = 200
"""Entries that a plain look takes where scripts are denied: they come whole."""


def _plain(key: bytes, place: str, wanted: Wanted, now: float, worker: bytes | None) -> Ask[Found]:
    is_zset = place == "delayed"
    commands: tuple[Command, ...] = (
        (("ZCARD", key), ("ZRANGE", key, 0, PLAIN_ENTRIES - 1, "WITHSCORES"))
        if is_zset
        else (("LLEN", key), ("LRANGE", key, 0, PLAIN_ENTRIES - 1))
    )

    def read(replies: list[Any]) -> Found:
        total, rows = replies
        if is_wrong_type(total) or is_wrong_type(rows):
            return Found(0, 0, ())
        entries = []
        pairs = scored(rows) if is_zset else [(raw, None) for raw in rows]
        for index, (raw, score) in enumerate(pairs):
            hint = index if is_zset else total - 1 - index
            entries.append(Entry(hint, len(raw), raw[:PREVIEW_BYTES], digest(raw), score))
        return _found(total, len(rows), entries, place, wanted, now, worker)

    return Ask(commands, read)


def entry_address(address: Address, entry: Entry) -> Address:
    """Return the address of an entry as it stands now."""
    return replace(address, hint=entry.hint, score=entry.score or address.score)
