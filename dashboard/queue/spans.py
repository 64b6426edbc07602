"""Where the members of a JSON object stand: a tolerant, iterative walk over its top level.

It owns byte spans only. It refuses to judge what stands inside nested values, which it merely balances.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

BOM = b"\xef\xbb\xbf"


class Member(NamedTuple):
    """A top-level member: its key between the quotes, and the spans of its value and of the whole of it."""

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
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb'[^ \t\n\r\v\f,\]}"{\[:]+')
_BRACKET = re.compile(rb'["\[\]{}]')


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


def is_named(member: Member, name: str) -> bool:
    """Tell whether a member's key reads as `name`, however it is escaped."""
    if b"\\" not in member.key:
        return member.key == name.encode()
    try:
        return bool(json.loads(f'"{member.key.decode()}"') == name)
    except ValueError:
        return False


def last_named(found: Spans, name: str) -> Member | None:
    """Return the last member of that name, the one that counts where a name is repeated, or None."""
    return next((member for member in reversed(found.members) if is_named(member, name)), None)
