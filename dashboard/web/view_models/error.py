"""An error that a person can act on.

Owns: the page object of `errors/error.html`. Refuses: stack traces, passwords.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """Any status from 400 up. The same sentences are shown as a page and inside a region (block `live`)."""

    status: int
    title: str
    """What happened: "Redis is not answering"."""
    text: str
    """The reason, with the queue or job and the host, and what to do."""
    kept: str
    """What was not lost: "No job was moved"; may be empty."""
    back_href: str
    back_label: str
    retry_href: str
    """What to ask again every few seconds (503 of a page that was read); empty: nothing. The answer, once
    there is one, carries `HX-Refresh`, so it is enough to poll it with `hx-swap="none"`."""
    request_id: str = field(default="", metadata=UNTAGGED)
    """To find the log line by (500); may be empty."""
    now: datetime | None = field(default=None, metadata=UNTAGGED)
