"""Job rows, and the page of one list of a queue.

Owns: the page object of `pages/jobs.html` and the row that every list shows. Refuses: to read a job.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Pager, Selection, Tab


@dataclass(frozen=True, slots=True)
class JobLine:
    """One entry of a list, readable or not."""

    dom_id: str
    """Made from the digest and a counter, so that a row keeps it between polls."""
    href: str
    """The job's page."""
    id_text: str
    """The id, or the first bytes of an unreadable entry ("80 04 95 ff"), or "no id"."""
    payload: str
    """The payload's JSON, cut on the server; of an unreadable entry its bytes, escaped."""
    mark: str
    """"" | not JSON | not an object | empty | cut | large | not read: shown as a badge."""
    is_cut: bool
    length: int
    """Bytes of the whole entry."""
    attempts: int | None
    """Runs that failed; None: no readable counter (shown as a dash)."""
    attempts_text: str
    """The counter as it stands when it is no whole number ("three", "null"); empty when missing."""
    attempts_note: str
    """"limit 3: the next failure is final"; may be empty."""
    error: str
    name: str
    """The job's own name member; may be empty."""
    at: datetime | None
    """When it died (dead) or was enqueued (pending), where the job says so."""
    due: datetime | None
    """When it is due (delayed); None for a time that is no date."""
    due_text: str
    """What stands for `due` when it is no date: "never (inf)"; else empty."""
    worker: str
    """Who holds it (processing); else empty."""
    worker_href: str
    acts: tuple[Act, ...]
    select_value: str = field(default="", metadata=UNTAGGED)
    """Value of the row's checkbox `job`; empty: the row cannot be ticked."""


@dataclass(frozen=True, slots=True)
class JobListPage:
    """`/{server}/q/{queue}/pending|processing|delayed|dead`"""

    title: str
    queue: str
    """Heading: the queue's name as text."""
    queue_href: str
    facts: str
    """"8 workers alive · oldest pending 6 s" """
    badges: tuple[str, ...]
    place: str
    """pending | processing | delayed | dead"""
    tabs: tuple[Tab, ...]
    live_href: str
    heading: str
    """"312 dead jobs, newest first" """
    time_heading: str
    """Heading of the time column: "Died", "Due", "Enqueued", "Held by"."""
    rows: tuple[JobLine, ...]
    pager: Pager | None
    bulk: tuple[Act, ...]
    """"Retry 312 dead jobs", "Promote 37 due jobs"."""
    selection: Selection | None
    fault: str
    """A key of a wrong type, in a sentence: shown in place of the rows."""
    empty: str
    """Why there is nothing here and what that means; empty when there are rows."""
    note: str
    """What to know about this list: "A job taken from the left …"; may be empty."""
    now: datetime | None = field(default=None, metadata=UNTAGGED)
