"""An error that a person can act on.

Owns: the page object of `errors/error.html`. Refuses: stack traces, passwords.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Link


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """Any status from 400 up. The same sentences are shown as a page and inside a region (block `live`)."""

    title: str
    status: int
    heading: str
    """What happened: "Redis is not answering"."""
    sentence: str
    """The reason, with the queue or job and the host."""
    kept: str
    """What was not lost: "No job was moved"; may be empty."""
    advice: str
    """What to do; may be empty."""
    links: tuple[Link, ...]
    retry_href: str
    """What the region polls until it is answered (503 of a page that was read); empty: no polling.
    The answer to a recovered poll carries `HX-Refresh`."""
    request_id: str = field(default="", metadata=UNTAGGED)
    """To find the log line by (500); may be empty."""
    now: datetime | None = field(default=None, metadata=UNTAGGED)
