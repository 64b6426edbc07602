"""What workers wrote about themselves, read as far as it makes sense.

Owns: the instance, busy and tombstone records of `{q}:workers`. Refuses: to fail on a record that somebody
else wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dashboard.inspector.snapshots import Tombstone
from dashboard.inspector.stamps import instant
from dashboard.inspector.visible import cut, visible

TEXT_SIGNS = 200


def record_of(stored: bytes | None) -> Mapping[str, Any]:
    """Return a record's members; {} where it is missing or no JSON object."""
    try:
        return msgspec.json.decode(stored or b"{}", type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}


def text(record: Mapping[str, Any], name: str) -> str:
    """Return a text member, safe to look at; "" where it is missing or something else."""
    value = record.get(name)
    return cut(visible(value), TEXT_SIGNS) if isinstance(value, str) else ""


def number(record: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number that is not negative, else None."""
    value = record.get(name)
    return value if type(value) is int and 0 <= value < 2**53 else None


def seconds(record: Mapping[str, Any], name: str) -> float | None:
    """Return an instant; texts of numbers count, as scripts write them."""
    value = record.get(name)
    return instant(str(value)) if isinstance(value, int | float | str) else None


def tombstone_of(stored: bytes | None) -> Tombstone | None:
    """Return how a worker ended; None where nothing readable says so."""
    record = record_of(stored)
    if not record:
        return None
    return Tombstone(
        state=text(record, "state") or "stopped",
        at=seconds(record, "at"),
        beat_at=seconds(record, "beat"),
        held_count=number(record, "held") or 0,
        by=text(record, "by"),
        why=text(record, "why"),
    )
