"""The trash of a queue, page by page, the latest discard first.

Owns: that question and its rows. Refuses: to restore or to purge.
"""

from __future__ import annotations

import re
from typing import Any

from dashboard.inspector.queue_desk import Facts
from dashboard.inspector.reading import Ask, ScriptAsk, is_wrong_type, lua
from dashboard.inspector.rows import due_of, row_of
from dashboard.inspector.snapshots import Page, TrashList, TrashRow
from dashboard.inspector.stamps import instant
from dashboard.inspector.visible import cut, visible_bytes
from dashboard.queue.address import PLACES
from dashboard.queue.answers import Entry
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys

_ID = re.compile(r"\d{1,20}-\d{1,20}")
_NAME_SIGNS = 200

Rows = tuple[int, str, list[tuple[str, Entry, dict[str, bytes]]], str]
"""Entries in all, where the page before begins ("" = the start), rows of id, entry, fields; key fault."""


def start_of(page: str) -> str:
    """Return the stream id that a page token is, "+" (the latest) for the start and for anything else."""
    return page if _ID.fullmatch(page) else "+"


def trash_ask(q: QueueKeys, start: str, size: int, preview_bytes: int) -> ScriptAsk[Rows]:
    """Return the question after one page and the entry after it."""

    def read(answer: Any) -> Rows:
        if answer[0] == b"wrongtype":
            return 0, "", [], f"{visible_bytes(q.trash)} is not a stream. Nothing in it was touched."
        rows = []
        for entry_id, length, preview, sign, *texts in answer[2:]:
            fields = {_text(name): value for name, value in zip(texts[::2], texts[1::2], strict=True)}
            rows.append((_text(entry_id), Entry(0, max(0, length), preview, sign.decode()), fields))
        return answer[0], _text(answer[1]), rows, ""

    args = (start, size, preview_bytes)
    return ScriptAsk(lua("trash"), (q.trash,), args, read, lambda: _plain(q, start, size, preview_bytes))


def trash_list(facts: Facts, start: str, size: int, found: Rows) -> TrashList:
    """Return the page."""
    total, before, rows, fault = found
    following = rows[size][0] if len(rows) > size else None
    shown = tuple(_row(facts, *row) for row in rows[:size])
    page = Page(
        at="" if start == "+" else start,
        size=size,
        total=total,
        first_number=1 if shown and start == "+" else 0,
        previous=None if start == "+" else before,
        following=following,
    )
    return TrashList(facts.now, facts.summary, shown, total, page, fault)


def _row(facts: Facts, entry_id: str, entry: Entry, fields: dict[str, bytes]) -> TrashRow:
    place = fields.get("place", b"").decode("ascii", "replace")
    place = place if place in PLACES else "dead"
    due = instant(fields.get("due"))
    score = fields.get("due") if place == "delayed" and due is not None else None
    worker = fields.get("worker") if place == "processing" else None
    row = row_of(
        place,
        Entry(entry.hint, entry.length, entry.preview, entry.digest, score),
        now=facts.now,
        worker=worker,
    )
    stamp = instant(fields.get("at")) or float(entry_id.split("-", 1)[0]) / 1_000
    by = cut(visible_bytes(fields.get("by", b"")), _NAME_SIGNS)
    return TrashRow(entry_id, row, place, due_of(score), by, stamp)


def _plain(q: QueueKeys, start: str, size: int, preview_bytes: int) -> Ask[Rows]:
    newer = ("XRANGE", q.trash, f"({start}" if start != "+" else "+", "+", "COUNT", size)
    commands = (("XLEN", q.trash), newer, ("XREVRANGE", q.trash, start, "-", "COUNT", size + 1))

    def read(replies: list[Any]) -> Rows:
        if any(is_wrong_type(reply) for reply in replies):
            return 0, "", [], f"{visible_bytes(q.trash)} is not a stream. Nothing in it was touched."
        total, before, entries = replies
        rows = []
        for entry_id, pairs in entries:
            fields = {_text(name): value for name, value in (pairs or {}).items()}
            raw = fields.pop("raw", b"")
            rows.append((_text(entry_id), Entry(0, len(raw), raw[:preview_bytes], digest(raw)), fields))
        previous = _text(before[-1][0]) if start != "+" and len(before) == size else ""
        return total, previous, rows, ""

    return Ask(commands, read)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
