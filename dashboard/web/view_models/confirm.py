"""A question before an act that many jobs depend on.

Owns: the page object of `pages/confirm.html`. Refuses: vague words; environment, queue and number are said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Fact, Link


@dataclass(frozen=True, slots=True)
class ConfirmPage:
    """Shown instead of acting at once; the act's form repeats everything that was decided."""

    title: str
    heading: str
    """"Discard 312 dead jobs of webhooks?" """
    sentence: str
    facts: tuple[Fact, ...]
    act: Act
    back: Link
    now: datetime | None = field(default=None, metadata=UNTAGGED)
