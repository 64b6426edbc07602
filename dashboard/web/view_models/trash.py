"""What was discarded and can be restored.

Owns: the page object of `pages/trash.html`. Refuses: to keep anything; the trash is in Redis.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Pager, Tab


@dataclass(frozen=True, slots=True)
class TrashLine:
    """One discarded job."""

    dom_id: str
    id_text: str
    payload: str
    mark: str
    is_cut: bool
    length: int
    attempts: int | None
    came_from: str
    """The list it was discarded from: "dead"."""
    by: str
    """Who discarded it; may be empty."""
    at: datetime | None
    acts: tuple[Act, ...]
    """Restore."""


@dataclass(frozen=True, slots=True)
class TrashPage:
    """`/{server}/q/{queue}/trash`"""

    title: str
    queue: str
    queue_href: str
    facts: str
    badges: tuple[str, ...]
    tabs: tuple[Tab, ...]
    live_href: str
    heading: str
    rows: tuple[TrashLine, ...]
    pager: Pager | None
    fault: str
    empty: str
    note: str
    """How long, or how many, the trash keeps."""
    now: datetime | None = field(default=None, metadata=UNTAGGED)
