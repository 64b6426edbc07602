"""Positions in lists: what a page token means, and which indexes a page reads.

Owns: paging from the stable end. Refuses: to read. Dead is shown newest first, and its positions count from
the right, so that arrivals at the left do not shift an older page; pending and processing are shown in the
order in which their jobs run; delayed by due time, equal ones in Redis' own order.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.inspector.snapshots import Page

DIGITS_MAX = 12


def position(at: str) -> int:
    """Return the number of a page token, 0 for the start and for anything that is none."""
    return int(at) if at.isascii() and at.isdigit() and len(at) <= DIGITS_MAX else 0


@dataclass(frozen=True, slots=True)
class Span:
    """Indexes of one page, as for LRANGE or ZRANGE, and whether its rows come last index first."""

    start: int
    stop: int
    reverse: bool


def span_of(place: str, at: int, size: int) -> Span:
    """Return what to read for the page that begins at `at`."""
    if place == "delayed":
        return Span(at, at + size - 1, False)
    if place == "dead":
        return Span(-at, min(-1, size - at - 1), False) if at else Span(0, size - 1, False)
    return Span(-at - size, -at - 1, True)


def is_beyond(place: str, at: int, total: int) -> bool:
    """Tell whether a page token points outside of a list that became shorter: then the start is shown."""
    return at > total if place == "dead" else at >= total and at > 0


def page_of(place: str, at: int, size: int, total: int, shown_count: int) -> Page:
    """Return the page with its neighbours."""
    if place == "dead":
        end = at or total
        newer = end + size
        return Page(
            at=str(at) if at else "",
            size=size,
            total=total,
            first_number=total - end + 1 if shown_count else 0,
            previous=None if not at or at >= total else "" if newer >= total else str(newer),
            following=str(end - size) if end > size else None,
        )
    return Page(
        at=str(at) if at else "",
        size=size,
        total=total,
        first_number=at + 1 if shown_count else 0,
        previous=None if not at else str(at - size) if at > size else "",
        following=str(at + size) if at + size < total else None,
    )
