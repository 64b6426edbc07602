"""Bytes and instants as text that is safe to read.

Owns: the visible form of names and the datetime of an instant. Refuses: HTML; templates escape that.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime


def shown(name: bytes | str) -> str:
    """A name as text: what is no UTF-8 as `\\xNN`, control and direction characters as visible escapes."""
    text = name if isinstance(name, str) else name.decode("utf-8", "backslashreplace")
    if not text:
        return "(empty)"
    if text.isprintable():
        return text
    return "".join([sign if sign.isprintable() else escaped(sign) for sign in text])


def escaped(sign: str) -> str:
    """One unprintable character in the notation that programmers know."""
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def moment(seconds: float | None) -> datetime | None:
    """The UTC datetime of unix seconds; None for none, for infinities and for years no calendar has."""
    if seconds is None or not math.isfinite(seconds):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 job", "1,204 jobs"; `many` where an s is not enough."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(parts: list[str]) -> str:
    """Parts of a sentence with commas and an "and": "2 stale and 1 orphan"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
