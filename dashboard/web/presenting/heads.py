"""The head of every page of a queue: its facts, badges and tabs; and pagers.

Owns: these words. Refuses: ages, which would change a region every second.
"""

from __future__ import annotations

from dashboard.inspector.snapshots import Page, QueueSummary, WorkerCounts
from dashboard.web.filters import number
from dashboard.web.presenting.scene import Scene
from dashboard.web.texts import listed
from dashboard.web.urls import with_query
from dashboard.web.view_models.parts import Pager, StateCount, Tab

ALARMING_FIRST = ("stale", "orphan", "silent", "late", "alive", "gone")
TABS = ("pending", "processing", "delayed", "dead", "workers", "trash")


def state_counts(counts: WorkerCounts, *, with_gone: bool = False) -> tuple[StateCount, ...]:
    """The states that have any, the alarming first."""
    found = []
    for state in ALARMING_FIRST:
        count: int = getattr(counts, state)
        if count and (with_gone or state != "gone"):
            found.append(StateCount(state, count, f"{count:,} {state}"))
    return tuple(found)


def facts(summary: QueueSummary) -> str:
    """ "8 alive, 2 stale · 22 in, 21 out per s" """
    states = listed([one.label for one in reversed(state_counts(summary.workers))])
    parts = [f"Workers: {states}" if states else "No worker"]
    if summary.rates is not None:
        rates = summary.rates
        parts.append(f"{number(rates.enqueued_per_second)} in, {number(rates.finished_per_second)} out per s")
    return " · ".join(parts)


def badges(summary: QueueSummary) -> tuple[str, ...]:
    """Short words about the queue as such."""
    found = []
    if summary.policy.paused:
        found.append("paused")
    if summary.ambiguous:
        found.append("ambiguous name")
    elif not summary.managed:
        found.append("found, not managed")
    if summary.policy.reaping == "manual":
        found.append("reaped by hand")
    return tuple(found)


def tabs(scene: Scene, summary: QueueSummary, current: str) -> tuple[Tab, ...]:
    """The lists of a queue; `current` is "" on the queue's own page."""
    depths, workers = summary.depths, summary.workers
    counts = {
        "pending": depths.pending,
        "processing": depths.processing,
        "delayed": depths.delayed,
        "dead": depths.dead,
        "workers": workers.total - workers.gone,
        "trash": depths.trash,
    }
    alarms = {"dead": bool(depths.dead), "workers": bool(workers.stale or workers.orphan)}
    return tuple(
        Tab(
            place.capitalize(),
            scene.urls.place(summary.name, place),
            counts[place],
            place == current,
            alarms.get(place, False),
        )
        for place in TABS
    )


def pager(path: str, page: Page, shown_count: int, newer: str, older: str, **query: str) -> Pager | None:
    """The way to other rows; None when this is all of them. `path` has no query."""
    if page.previous is None and page.following is None:
        return None
    return Pager(
        page.first_number,
        page.first_number + shown_count - 1 if page.first_number else shown_count,
        page.total,
        with_query(path, at=page.previous or "", **query) if page.previous is not None else "",
        with_query(path, at=page.following or "", **query) if page.following is not None else "",
        newer,
        older,
    )
