"""Previews of a reap: which jobs would move where.

Owns: the page objects of `pages/reap.html` and `pages/reap_stale.html`. Refuses: to promise: the script
looks again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Act, Link
from dashboard.web.view_models.workers import WorkerLine


@dataclass(frozen=True, slots=True)
class ReapLine:
    """One job that the worker holds."""

    dom_id: str
    id_text: str
    href: str
    payload: str
    mark: str
    attempts: int | None
    destination: str
    """pending | dead"""
    why: str
    """"attempts 3, limit 3: the next failure is final" """


@dataclass(frozen=True, slots=True)
class ReapPage:
    """`/{server}/q/{queue}/reap?worker=…`"""

    title: str
    heading: str
    """"Reap app-7:4121:9f3a" """
    queue: str
    queue_href: str
    sentence: str
    """"3 jobs go back to pending, 1 goes to dead." """
    warning: str
    """A reap can run a job twice, in a sentence."""
    worker: WorkerLine
    rows: tuple[ReapLine, ...]
    more_note: str
    """"100 of 4,212 shown"; may be empty."""
    refusal: str
    """Why it cannot be reaped now (it beats again); then `act` is None."""
    act: Act | None
    """"Reap: move 4 jobs" """
    back: Link
    live_href: str
    now: datetime | None = field(default=None, metadata=UNTAGGED)


@dataclass(frozen=True, slots=True)
class ReapStalePage:
    """`/{server}/reap-stale`: every stale worker and orphan list, of all queues or of one."""

    title: str
    heading: str
    """"Reap 2 stale and 1 orphan" """
    queue: str
    """The queue it is limited to; empty: all."""
    sentence: str
    warning: str
    workers: tuple[WorkerLine, ...]
    more_note: str
    refusal: str
    """Nothing to reap, in a sentence; then `act` is None."""
    act: Act | None
    back: Link
    live_href: str
    now: datetime | None = field(default=None, metadata=UNTAGGED)
