"""The overview: what needs somebody, then every queue.

Owns: the page object of `pages/overview.html`. Refuses: to judge; findings come ranked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Link, Pager, StateCount


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One ranked sentence with the action beside it; at most one of link and act is set."""

    dom_id: str
    severity: str
    """urgent | soon | note"""
    sentence: str
    detail: str
    link: Link | None = None
    act: Act | None = None


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One queue in the table. A count of None means a key of another type (shown as a dash)."""

    dom_id: str
    name: str
    href: str
    pending: int | None
    pending_href: str
    pending_alarm: bool
    processing: int | None
    processing_href: str
    delayed: int | None
    delayed_href: str
    overdue: int
    """Of the delayed, those past their time."""
    dead: int | None
    dead_href: str
    dead_alarm: bool
    workers: tuple[StateCount, ...]
    """States that have any, the alarming first. Empty: no worker seen."""
    workers_href: str
    oldest_pending_at: datetime | None
    """When the next job to run was enqueued, where the job says so."""
    in_out: str
    """Jobs a second, "41 / 0"; empty when the queue keeps no counters."""
    badges: tuple[str, ...]
    """"paused", "found, not managed", "ambiguous name" """
    faults: tuple[str, ...]
    """Sentences about keys of a wrong type or an unreadable policy."""
    trend_line: str = field(default="", metadata=UNTAGGED)
    """Path data of the sparkline of pending, for `viewBox="0 0 84 22"`; empty: too few figures yet."""
    trend_area: str = field(default="", metadata=UNTAGGED)
    """The same closed at the bottom, to be filled."""


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """`/{server}/`"""

    title: str
    heading: str
    """"Three things need you", or "All is well"."""
    summary: str
    """"5 queues, 26 workers, 9,647 jobs waiting" """
    live_href: str
    findings: tuple[FindingLine, ...]
    all_well: str
    """The one quiet sentence when there is no finding; else empty."""
    queues: tuple[QueueLine, ...]
    order_note: str
    """"sorted by what needs attention" """
    scan_note: str
    """"found so far: scanned 40 %"; empty when discovery is complete."""
    empty: str
    """Why there is no queue, where was looked, and what next; empty when there are queues."""
    empty_hint: str
    """A command to type, for the empty state."""
    pager: Pager | None
    now: datetime | None = field(default=None, metadata=UNTAGGED)
    """The server's clock; ages are relative to it."""
