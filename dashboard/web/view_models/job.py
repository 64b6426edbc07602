"""One job: where it is, what it carries, what happened to it.

Owns: the page object of `pages/job.html`. Refuses: to re-encode a payload; numbers keep their digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Fact


@dataclass(frozen=True, slots=True)
class EventLine:
    """One thing that happened, from the flight recorder."""

    at: datetime | None
    text: str
    """"reaped from app-7:4121 by on-call" """


@dataclass(frozen=True, slots=True)
class JobPage:
    """`/{server}/q/{queue}/job/{digest}`"""

    title: str
    queue: str
    queue_href: str
    heading: str
    """The id as text."""
    place: str
    """pending | processing | delayed | dead; empty: no longer in this queue."""
    place_text: str
    """"Dead, newest of 312", "Held by app-7:4121", "No longer in this queue". """
    place_href: str
    """The list it is in."""
    live_href: str
    facts: tuple[Fact, ...]
    """Attempts with the limit, length, digest, due, enqueued, died, worker."""
    payload: str
    """Pretty JSON without loss, or the bytes escaped. Shown in `<pre>`; lines are kept."""
    payload_label: str
    """"Payload", or "Bytes (not JSON)"."""
    payload_note: str
    """"cut: 256 KB of 1.0 MB shown"; may be empty."""
    members: tuple[Fact, ...]
    """Top-level members we do not know, as JSON text."""
    error: str
    traceback: str
    events: tuple[EventLine, ...]
    events_note: str
    """Why there may be more or none; may be empty."""
    bytes_href: str
    """Download of the exact bytes; empty when the job is not there."""
    command: str
    """The same look on the command line, to copy; empty where its id is none that can be typed."""
    acts: tuple[Act, ...]
    now: datetime | None = field(default=None, metadata=UNTAGGED)
