"""The job record: how its bytes are made, read, counted and annotated, without touching any byte that is not meant.

`bump` and `set_attempts` follow the same rules as lua/shared/counter.lua; a test holds the two together. Nothing
here talks to Redis, and nothing re-encodes a job that exists.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dashboard.queue.errors import UnreadableJob

DIGEST_WHOLE_MAX = 65_536
"""Bytes up to which a digest covers everything: hashing 64 KB takes the server about 0.1 ms."""
DIGEST_EDGE = 32_768
"""Above that, this many bytes at each end and the length stand for the job."""

BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Job:
    """A job as its handler gets it.

    `id` and `payload` are what JSON says (None when absent), `attempts` the runs that failed or crashed so far,
    `raw` the exact bytes in Redis, `members` every top-level member, unknown ones included.
    """

    id: Any
    payload: Any
    attempts: int
    raw: bytes
    members: dict[str, Any]


def new_id() -> str:
    """Return a fresh job id: 16 hex digits."""
    return secrets.token_hex(8)


def encode(
    job_id: object,
    payload: object,
    *,
    name: str | None = None,
    enqueued_at: float | None = None,
    extra: Mapping[str, object] | None = None,
) -> bytes:
    """Return a new job's bytes, `attempts` last so that scripts find the counter at once.

    Raises TypeError or ValueError where the payload is no JSON (NaN and infinities included).
    """
    record: dict[str, object] = {"id": job_id}
    if name is not None:
        record["name"] = name
    record["enqueued_at"] = round(time.time() if enqueued_at is None else enqueued_at, 3)
    record.update(extra or {})
    record["payload"] = payload
    record["attempts"] = 0
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode()


def decode(raw: bytes) -> Job:
    """Read a job, or raise UnreadableJob with the reason.

    Numbers come as Python's json reads them: integers of any size, floats as floats. A job without `attempts`
    has run 0 times; one whose counter is no whole number is unreadable.
    """
    try:
        members = json.loads(raw.decode("utf-8-sig"))
    except RecursionError:
        raise UnreadableJob("its JSON is nested too deeply") from None
    except ValueError:
        raise UnreadableJob("it is not JSON") from None
    if type(members) is not dict:
        raise UnreadableJob("it is JSON, but not an object")
    attempts = members.get("attempts", 0)
    if type(attempts) is not int:
        raise UnreadableJob("its attempts are no whole number")
    return Job(members.get("id"), members.get("payload"), attempts, raw, members)


def digest(raw: bytes) -> str:
    """Return a job's digest: sha1 hex of its bytes, or of length and both ends when it is over 64 KB."""
    if len(raw) > DIGEST_WHOLE_MAX:
        raw = b"%d:" % len(raw) + raw[:DIGEST_EDGE] + raw[-DIGEST_EDGE:]
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()


# A tolerant walk over a JSON object's top level: byte spans only, no values, no recursion.


class Member(NamedTuple):
    """Byte spans of one top-level member: its key between the quotes, its value, and the segment around both."""

    key: bytes
    value_start: int
    value_end: int
    segment_start: int
    segment_end: int


class Spans(NamedTuple):
    """Where an object's members stand. `open_at` and `close_at` are the positions of its braces."""

    open_at: int
    members: list[Member]
    close_at: int


_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(rb'[^ \t\n\r\v\f,\]}"{\[:]+')
_BRACKET = re.compile(rb'["\[\]{}]')
_WHOLE = re.compile(rb"-?(?:0|[1-9][0-9]*)")


def spans(raw: bytes) -> Spans | None:
    """Return the spans of an object's top-level members, or None where the bytes are no object.

    It is no validator: what stands inside nested values is only balanced.
    """
    at = _after_space(raw, len(BOM) if raw.startswith(BOM) else 0)
    if raw[at : at + 1] != b"{":
        return None
    open_at = at
    members: list[Member] = []
    segment_start = at + 1
    at = _after_space(raw, segment_start)
    if raw[at : at + 1] == b"}":
        return Spans(open_at, members, at) if _after_space(raw, at + 1) == len(raw) else None
    while True:
        key = _STRING.match(raw, at)
        if key is None:
            return None
        colon = _after_space(raw, key.end())
        if raw[colon : colon + 1] != b":":
            return None
        value_start = _after_space(raw, colon + 1)
        value_end = _after_value(raw, value_start)
        if value_end is None:
            return None
        at = _after_space(raw, value_end)
        members.append(Member(key.group()[1:-1], value_start, value_end, segment_start, at))
        separator = raw[at : at + 1]
        if separator == b"}":
            return Spans(open_at, members, at) if _after_space(raw, at + 1) == len(raw) else None
        if separator != b",":
            return None
        segment_start = at + 1
        at = _after_space(raw, segment_start)


def _after_space(raw: bytes, at: int) -> int:
    match = _SPACE.match(raw, at)
    return match.end() if match else at


def _after_value(raw: bytes, at: int) -> int | None:
    first = raw[at : at + 1]
    if first not in (b"{", b"["):
        match = (_STRING if first == b'"' else _SCALAR).match(raw, at)
        return match.end() if match else None
    depth = 0
    while True:
        bracket = _BRACKET.search(raw, at)
        if bracket is None:
            return None
        if bracket.group() == b'"':
            text = _STRING.match(raw, bracket.start())
            if text is None:
                return None
            at = text.end()
            continue
        depth += 1 if bracket.group() in b"{[" else -1
        at = bracket.end()
        if depth == 0:
            return at


def _is_named(member: Member, name: str) -> bool:
    if b"\\" not in member.key:
        return member.key == name.encode()
    try:
        return bool(json.loads(b'"%s"' % member.key) == name)
    except ValueError:
        return False


def _named(found: Spans, name: str) -> Iterator[Member]:
    return (member for member in reversed(found.members) if _is_named(member, name))


def bump(raw: bytes) -> tuple[bytes, int] | None:
    """Return the bytes with their counter one higher, and the new count; None where it cannot be read.

    The counter is the last top-level `attempts`. A job without one gets it, as its last member.
    """
    found = spans(raw)
    if found is None:
        return None
    counter = next(_named(found, "attempts"), None)
    if counter is None:
        comma = b"," if found.members else b""
        return raw[: found.close_at] + comma + b'"attempts":1' + raw[found.close_at :], 1
    text = raw[counter.value_start : counter.value_end]
    if not _WHOLE.fullmatch(text):
        return None
    try:
        attempts = int(text) + 1
        return raw[: counter.value_start] + b"%d" % attempts + raw[counter.value_end :], attempts
    except ValueError:  # over Python's limit of digits: its json cannot read the job either
        return None


def set_attempts(raw: bytes, attempts: int) -> bytes | None:
    """Return the bytes with their counter set; a job without one is left so. None where it cannot be read."""
    found = spans(raw)
    if found is None:
        return None
    counter = next(_named(found, "attempts"), None)
    if counter is None:
        return raw
    if not _WHOLE.fullmatch(raw, counter.value_start, counter.value_end):
        return None
    return raw[: counter.value_start] + b"%d" % attempts + raw[counter.value_end :]


def splice(raw: bytes, members: Mapping[str, object]) -> bytes:
    """Return the bytes with `members` right after the opening brace, their older selves removed.

    Every other member keeps its bytes and its order, so that the counter stays last. Bytes that are no object
    are returned unchanged.
    """
    found = spans(raw)
    if found is None or not members:
        return raw
    new = [json.dumps({key: value}, separators=(",", ":"))[1:-1].encode() for key, value in members.items()]
    kept = [
        raw[member.segment_start : member.segment_end]
        for member in found.members
        if not any(_is_named(member, name) for name in members)
    ]
    return raw[: found.open_at + 1] + b",".join([*new, *kept]) + raw[found.close_at :]
