"""Parts that several pages are made of: acts, links, tabs, notices, pagers.

Owns: the small frozen pieces. Refuses: anything that belongs to one page only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

UNTAGGED: Final = {"untagged": True}
"""Metadata of a field that does not count as a change of its region: act ids, ages, the page's instant."""


@dataclass(frozen=True, slots=True)
class Link:
    """A place to go to."""

    label: str
    href: str
    current: bool = False
    """Whether it is where the reader is (`aria-current="page"`)."""
    note: str = ""
    """Quiet text beside the label; may be empty."""


@dataclass(frozen=True, slots=True)
class Act:
    """A small form of its own: POST `fields` (and the one-time id) to `action`."""

    label: str
    """Verb, scope and number: "Retry", "Retry 312 dead jobs"."""
    action: str
    fields: tuple[tuple[str, str], ...] = ()
    """Hidden fields, name and value, without the act id."""
    kind: str = "quiet"
    """quiet | plain | primary | danger"""
    name: str = ""
    """The accessible name, with the job: "Retry job wh-55120". Empty: the label says it all."""
    note: str = ""
    """What to know before pressing: "A job may run twice". May be empty."""
    act_id: str = field(default="", metadata=UNTAGGED)
    """Value of the hidden field `act`; empty: the form has no such field."""

    @property
    def hidden(self) -> dict[str, str | list[str]]:
        """All hidden fields, the act id under "act"; a name that occurs several times has a list."""
        together: dict[str, str | list[str]] = {}
        for name, value in self.fields:
            before = together.get(name)
            if before is None:
                together[name] = value
            else:
                together[name] = [*([before] if isinstance(before, str) else before), value]
        return together | {"act": self.act_id} if self.act_id else together


@dataclass(frozen=True, slots=True)
class SelectionAct:
    """A button of the selection form, with a `formaction` of its own: `<button formaction=…>`."""

    verb: str
    """"Retry": the button says "Retry selected", a script "Retry 3 selected"."""
    action: str
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class Selection:
    """The form (id "selection") that ticked rows belong to: `<input type=checkbox form=selection name=job>`.

    Absent when nobody may act here. Its method is POST, its hidden fields are `fields`.
    """

    acts: tuple[SelectionAct, ...]
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of an act, or a warning, in a box with `role=status`."""

    tone: str
    """done | nothing | refused"""
    text: str
    detail: str = ""
    undo: Act | None = None


@dataclass(frozen=True, slots=True)
class Tab:
    """One list of a queue in the row of tabs."""

    label: str
    href: str
    count: int | None
    """None: the key has another type, and the count is shown as a dash."""
    current: bool = False
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many workers are in one state."""

    state: str
    """alive | late | silent | stale | gone | orphan | stopped: class of the mark"""
    count: int
    label: str
    """"2 stale" """


@dataclass(frozen=True, slots=True)
class Pager:
    """Which rows of how many are shown, and the way on. Absent when everything fits on one page."""

    first: int
    """Number of the first row, from 1."""
    last: int
    total: int
    newer_href: str
    """The page before; empty on the first page."""
    older_href: str
    """The page after; empty on the last page."""
    newer_label: str = "Newer"
    older_label: str = "Older"
    note: str = ""
    """What else to know: "new jobs arrive on the first page"."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled value: a line of the policy, of a job, of a receipt."""

    label: str
    value: str
    note: str = ""
