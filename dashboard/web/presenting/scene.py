"""What all presenters work with: who looks, from where, and the forms they may send.

Owns: the making of act forms. Refuses: to decide what an act does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.acts import ActIds
from dashboard.web.texts import moment
from dashboard.web.urls import Urls
from dashboard.web.view_models.parts import Act


@dataclass(frozen=True, slots=True)
class Scene:
    """One page being drawn. `here` is its own address: forms come back to it, regions poll it."""

    urls: Urls
    here: str
    now_seconds: float
    may_act: bool
    """Whether the reader's role covers acts; a viewer is shown none."""
    ids: ActIds = field(default_factory=ActIds)

    @property
    def now(self) -> datetime | None:
        """The server's clock."""
        return moment(self.now_seconds)

    def act(
        self,
        label: str,
        action: str,
        *fields: tuple[str, str],
        kind: str = "quiet",
        name: str = "",
        note: str = "",
        back: str = "",
    ) -> Act:
        """A form with a one-time id that comes back to this page, or to `back`."""
        all_fields = (*fields, ("back", back or self.here))
        return Act(label, action, all_fields, kind, name, note, self.ids.next())
