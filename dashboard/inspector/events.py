"""What the flight recorder says about one job.

Owns: reading the newest part of `{q}:events` and following a job through its changes of bytes. Refuses: to be
complete: events name at most ten jobs each and old ones fall off, and a page says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dashboard.inspector.reading import Ask, is_wrong_type
from dashboard.inspector.snapshots import Event
from dashboard.inspector.visible import cut, visible_bytes
from dashboard.queue.keys import QueueKeys

LOOKED_AT = 500
"""Newest events that one page looks at: about 100 KB."""

SHOWN = 20
FIELD_SIGNS = 300

DIGEST_FIELDS = frozenset(("event", "jobs", "from", "to"))
"""What an event says in other ways than by its facts."""

Recorded = list[tuple[str, dict[str, str]]]


def events_ask(q: QueueKeys) -> Ask[Recorded]:
    """Return the question after the newest events, newest first."""

    def read(replies: list[Any]) -> Recorded:
        if is_wrong_type(replies[0]):
            return []
        return [
            (_text(entry_id), {_text(name): _text(value) for name, value in (fields or {}).items()})
            for entry_id, fields in replies[0]
        ]

    return Ask((("XREVRANGE", q.events, "+", "-", "COUNT", LOOKED_AT),), read)


def about(recorded: Recorded, digests: Iterable[str]) -> tuple[Event, ...]:
    """Return the events that name a job with one of these digests, or one that it became or was before."""
    known = set(digests)
    trails = [(entry, _pairs(entry[1])) for entry in recorded]
    grown = True
    while grown:
        size = len(known)
        for _, pairs in trails:
            for pair in pairs:
                if known & pair:
                    known |= pair
        grown = len(known) > size
    found = [entry for entry, pairs in trails if any(known & pair for pair in pairs)]
    return tuple(_event(entry_id, fields) for entry_id, fields in found[:SHOWN])


def _pairs(fields: dict[str, str]) -> list[set[str]]:
    """Return the digests that an event names, those of one job before and after it together."""
    pairs = [set(part.split(">")) for part in fields.get("jobs", "").split()]
    if "from" in fields:
        pairs.append({fields["from"], fields.get("to", fields["from"])})
    return pairs


def _event(entry_id: str, fields: dict[str, str]) -> Event:
    others = tuple(
        (name, cut(value, FIELD_SIGNS))
        for name, value in fields.items()
        if name not in DIGEST_FIELDS and value
    )
    return Event(entry_id, float(entry_id.split("-", 1)[0]) / 1_000, fields.get("event", ""), others)


def _text(value: Any) -> str:
    return visible_bytes(value) if isinstance(value, bytes) else str(value)
