"""Bytes of an entry made into the row that a list shows, whatever they are.

Owns: id, payload, counter and error as text, and the mark of odd entries. Refuses: to fail on any bytes, to
fetch more of an entry than its preview, and to decide what a worker would do with it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from dashboard.inspector.members import Members, is_scalar, read_cut, read_whole, string_of
from dashboard.inspector.snapshots import JobRow
from dashboard.inspector.stamps import instant
from dashboard.inspector.visible import cut, legible, visible, visible_bytes
from dashboard.queue.address import Address
from dashboard.queue.answers import Entry
from dashboard.queue.job import JOB_BYTES_MAX

PREVIEW_BYTES = 8_192
"""Of each entry on a page: a spliced traceback (4 KB) stands before the id, which a row should still show."""

PAYLOAD_SIGNS = 2_048
ID_SIGNS = 300
NAME_SIGNS = 200
ERROR_SIGNS = 600
ERROR_LINES = 4
ATTEMPTS_SIGNS = 40

FIRST_BYTES = 4
"""Bytes of an unreadable entry that stand for its id, as hex."""

NO_DIGEST = "0" * 40

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a job's top-level members say, as safe text."""

    id_text: str
    id_is_text: bool
    payload: str
    attempts: int | None
    attempts_text: str
    error: str
    traceback: str
    failed_at: float | None
    enqueued_at: float | None
    name: str


def row_of(place: str, entry: Entry, *, now: float, worker: bytes | None = None) -> JobRow:
    """Return the row of one entry. `place` is the list it stands in, `worker` whose processing list."""
    if entry.length < 0:
        return _unread_row(place, entry, worker)
    address = Address(place, entry.length, entry.digest, entry.hint, entry.score, worker)
    is_whole = entry.length == len(entry.preview)
    members = read_whole(entry.preview) if is_whole else read_cut(entry.preview)
    mark = mark_of(members, entry.length)
    readable = members.kind in ("object", "cut")
    facts = facts_of(members, entry.digest) if readable else _bare_facts(entry)
    due = due_of(entry.score)
    return JobRow(
        address=address,
        id_text=facts.id_text,
        id_is_text=facts.id_is_text,
        payload_preview=facts.payload,
        length=entry.length,
        attempts=facts.attempts,
        attempts_text=facts.attempts_text,
        error=facts.error,
        failed_at=facts.failed_at,
        enqueued_at=facts.enqueued_at,
        name=facts.name,
        readable=readable,
        mark=mark,
        due=due,
        overdue=due is not None and due <= now,
    )


def mark_of(members: Members, length: int) -> str:
    """Return the badge of an entry: "" for a whole job."""
    if length == 0:
        return "empty"
    if members.kind in ("object", "cut") and length > JOB_BYTES_MAX:
        return "large"
    return {"object": "", "cut": "cut", "other": "not an object"}.get(members.kind, "not JSON")


def facts_of(members: Members, digest: str) -> Facts:
    """Return what the members say; what is missing is "", 0 or None."""
    texts = members.texts
    id_text, id_is_text = id_of(texts.get("id"), digest)
    attempts_text = legible(cut(texts.get("attempts", ""), ATTEMPTS_SIGNS))
    attempts = int(attempts_text) if _WHOLE_NUMBER.fullmatch(attempts_text) else None
    return Facts(
        id_text=id_text,
        id_is_text=id_is_text,
        payload=payload_of(texts.get("payload")),
        attempts=attempts,
        attempts_text=attempts_text,
        error=first_lines(text_of(texts.get("error"), ERROR_SIGNS)),
        traceback=text_of(texts.get("traceback"), 65_536),
        failed_at=instant(texts.get("failed_at")),
        enqueued_at=instant(texts.get("enqueued_at")),
        name=text_of(texts.get("name"), NAME_SIGNS),
    )


def id_of(text: str | None, digest: str) -> tuple[str, bool]:
    """Return an id as text, and whether it is one: strings and numbers are, a digest stands for others."""
    if text is not None:
        string = string_of(text)
        if string is not None:
            return cut(visible(string), ID_SIGNS) or '""', bool(string)
        if is_scalar(text) and text not in ("null", "true", "false"):
            return cut(text, ID_SIGNS), True
    return f"#{digest[:8]}", False


def payload_of(text: str | None) -> str:
    """Return the beginning of a payload's JSON; a text payload keeps its line breaks as real ones."""
    if text is None:
        return ""
    return cut(legible(text[: 2 * PAYLOAD_SIGNS], newlines=text.startswith('"')), PAYLOAD_SIGNS)


def text_of(text: str | None, most: int) -> str:
    """Return a text member as text, any other value as its JSON, null and absence as ""."""
    if text is None or text == "null":
        return ""
    string = string_of(text[: 8 * most])
    return cut(visible(string) if string is not None else legible(text[: 2 * most]), most)


def first_lines(text: str) -> str:
    """Return the first lines of an error, and a line that says how many more there are."""
    lines = text.strip().split("\n")
    if len(lines) <= ERROR_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[:ERROR_LINES], "…"])


def due_of(score: bytes | None) -> float | None:
    """Return a sorted set's score as unix seconds, which may be infinite; None where there is none."""
    if score is None:
        return None
    value = float(score)
    return None if math.isnan(value) else value


def _bare_facts(entry: Entry) -> Facts:
    id_text = entry.preview[:FIRST_BYTES].hex(" ") or "empty"
    payload = cut(visible_bytes(entry.preview[:PAYLOAD_SIGNS]), PAYLOAD_SIGNS)
    return Facts(id_text, False, payload, None, "", "", "", None, None, "")


def _unread_row(place: str, entry: Entry, worker: bytes | None) -> JobRow:
    """Return the row of an entry that the server did not look at, because the page was large before it."""
    return JobRow(
        address=Address(place, 0, NO_DIGEST, entry.hint, None if entry.score is None else b"0", worker),
        id_text="not read",
        id_is_text=False,
        payload_preview="The entries before this one on the page are over 16 MB together.",
        length=0,
        attempts=None,
        attempts_text="",
        error="",
        failed_at=None,
        enqueued_at=None,
        name="",
        readable=False,
        mark="not read",
        due=None,
        overdue=False,
    )
