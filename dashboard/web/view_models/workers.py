"""Worker rows and the workers page.

Owns: the page object of `pages/workers.html`. Refuses: to judge a heartbeat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Link, Pager, Tab


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """One worker, a list without a heartbeat, or a tombstone."""

    dom_id: str
    name: str
    queue: str
    queue_href: str
    state: str
    """alive | late | silent | stale | gone | orphan | stopped"""
    beat_at: datetime | None
    """The last beat by the server's clock; None: there is nothing to age."""
    stale_after_seconds: float
    beat_text: str
    """Said in place of an age: "no heartbeat at all", "stopped cleanly"; else empty."""
    flags: tuple[str, ...]
    """"clock ahead of the server", "heartbeat is no number"."""
    holds_count: int
    holds_text: str
    """"3 jobs, first", "1 job", "idle", "nothing" """
    first_job: str
    """Id of the oldest job held; may be empty."""
    first_job_href: str
    since: datetime | None
    """Since when it has held them, where known."""
    where: str
    """"app-7 · pid 4121", "unknown" """
    reap: Link | None
    """To the preview of a reap; None when it cannot be reaped."""
    reap_why: str
    """Why it cannot be reaped, or what the reap does; may be empty."""
    demo_acts: tuple[Act, ...] = ()
    """SIGKILL, freeze, thaw: only for processes that the demo started."""


@dataclass(frozen=True, slots=True)
class WorkersPage:
    """`/{server}/workers` and `/{server}/q/{queue}/workers`"""

    title: str
    heading: str
    """"Workers", or the queue's name."""
    summary: str
    """"23 alive, 1 late, 2 stale, 1 orphan. Stale after 30 s without a beat, the reaper's own threshold" """
    queue: str
    """The queue's name when the page is about one; else empty."""
    tabs: tuple[Tab, ...]
    """Of the queue; empty when the page is about all."""
    live_href: str
    filters: tuple[Link, ...]
    """"All 26", "stale 2": links that filter by state."""
    rows: tuple[WorkerLine, ...]
    reap_all: Link | None
    """"Reap 2 stale and 1 orphan: 6 jobs", to the preview."""
    pager: Pager | None
    empty: str
    empty_hint: str
    now: datetime | None = field(default=None, metadata=UNTAGGED)
