"""One queue: the first rows of every list, its policy, pause and resume.

Owns: the page object of `pages/queue.html`. Refuses: paging; each list has a page of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.job_list import JobLine
from dashboard.web.view_models.parts import UNTAGGED, Act, Fact, Link, Tab
from dashboard.web.view_models.workers import WorkerLine


@dataclass(frozen=True, slots=True)
class ListSection:
    """The first rows of one list."""

    place: str
    """pending | processing | delayed | dead"""
    dom_id: str
    heading: str
    """"Dead" """
    count: int | None
    href: str
    time_heading: str
    rows: tuple[JobLine, ...]
    more: Link | None
    """"All 312 dead jobs"; None when every row is shown."""
    bulk: tuple[Act, ...]
    fault: str
    empty: str


@dataclass(frozen=True, slots=True)
class QueuePage:
    """`/{server}/q/{queue}`"""

    title: str
    queue: str
    facts: str
    badges: tuple[str, ...]
    tabs: tuple[Tab, ...]
    live_href: str
    sections: tuple[ListSection, ...]
    workers: tuple[WorkerLine, ...]
    workers_more: Link | None
    workers_empty: str
    switch: Act | None
    """Pause or resume; None when the reader may not, or the name is ambiguous."""
    switch_note: str
    """What a pause does while it lasts, and which workers do not obey it; may be empty."""
    policy: tuple[Fact, ...]
    faults: tuple[str, ...]
    """Wrong types, unreadable policy, an ambiguous name: sentences."""
    now: datetime | None = field(default=None, metadata=UNTAGGED)
