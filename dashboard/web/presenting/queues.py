"""A queue's own page.

Owns: its sections, the switch of pause and resume, the policy in force. Refuses: rows.
"""

from __future__ import annotations

from dashboard.inspector.snapshots import JobList, QueueSummary, QueueView
from dashboard.web.filters import duration
from dashboard.web.presenting import heads
from dashboard.web.presenting.job_lines import TIME_HEADINGS, job_lines
from dashboard.web.presenting.job_lists import EMPTY, bulk_acts
from dashboard.web.presenting.scene import Scene
from dashboard.web.presenting.worker_lines import worker_lines
from dashboard.web.texts import listed, plural, shown
from dashboard.web.view_models.parts import Act, Fact, Link
from dashboard.web.view_models.queue import ListSection, QueuePage

ORDER = ("dead", "processing", "delayed", "pending")
"""What somebody has to look after comes first."""


def queue_page(scene: Scene, read: QueueView) -> QueuePage:
    """The page object."""
    summary = read.summary
    name = shown(summary.name)
    more = read.workers.total_count - len(read.workers.rows)
    all_workers = Link(f"All {read.workers.total_count:,} workers", scene.urls.place(summary.name, "workers"))
    return QueuePage(
        title=name,
        queue=name,
        facts=heads.facts(summary),
        badges=heads.badges(summary),
        tabs=heads.tabs(scene, summary, ""),
        live_href=scene.here,
        sections=tuple(section(scene, summary, read.lists[place]) for place in ORDER),
        workers=worker_lines(scene, read.workers.rows),
        workers_more=all_workers if more > 0 else None,
        workers_empty="" if read.workers.rows else "No worker has beaten here.",
        switch=switch(scene, summary),
        switch_note=switch_note(read),
        policy=policy(summary),
        faults=faults(summary),
        now=scene.now,
    )


def section(scene: Scene, summary: QueueSummary, read: JobList) -> ListSection:
    """The first rows of one list."""
    place, href = read.place, scene.urls.place(summary.name, read.place)
    rows = job_lines(scene, summary, place, read.rows)
    all_of_them = Link(f"All {plural(read.total_count, f'{place} job')}", href)
    return ListSection(
        place=place,
        dom_id=f"list-{place}",
        heading=place.capitalize(),
        count=None if read.key_fault else read.total_count,
        href=href,
        time_heading=TIME_HEADINGS[place],
        rows=rows,
        more=all_of_them if read.total_count > len(rows) else None,
        bulk=bulk_acts(scene, read),
        fault=read.key_fault,
        empty="" if rows or read.key_fault else EMPTY[place],
    )


def switch(scene: Scene, summary: QueueSummary) -> Act | None:
    """Pause, or resume."""
    if not scene.may_act or summary.ambiguous:
        return None
    verb = "resume" if summary.policy.paused else "pause"
    action = scene.urls.act(summary.name, verb)
    return scene.act(f"{verb.capitalize()} {shown(summary.name)}", action, kind="plain")


def switch_note(read: QueueView) -> str:
    """What a pause does while it lasts, and whom it does not reach."""
    is_paused = read.summary.policy.paused
    foreign = [
        shown(row.name) for row in read.workers.rows if not row.process and row.state in ("alive", "late")
    ]
    if not foreign:
        return "Paused: workers finish what they run and take no new job." if is_paused else ""
    who = listed(foreign[:3]) if len(foreign) <= 3 else f"{listed(foreign[:3])} and others"
    if is_paused:
        return f"Paused, but workers of other software do not obey: {who}."
    return f"A pause would not be obeyed by workers of other software: {who}."


def policy(summary: QueueSummary) -> tuple[Fact, ...]:
    """The thresholds in force."""
    rules = summary.policy
    by_hand = rules.reaping == "manual"
    return (
        Fact("Late after", duration(rules.late_after_seconds)),
        Fact("Stale after", duration(rules.stale_after_seconds), "without a beat"),
        Fact("Beat", f"every {duration(rules.beat_seconds)}"),
        Fact("Attempts", f"limit {rules.max_attempts:,}", "more failed runs mean dead"),
        Fact("Reaping", rules.reaping, "an operator reaps" if by_hand else "the janitor reaps"),
        Fact("Orphan lists", "adopted" if rules.adopt_orphans else "left alone"),
        Fact(
            "Managed", "yes" if summary.managed else "no", "" if summary.managed else "daemons leave it alone"
        ),
    )


def faults(summary: QueueSummary) -> tuple[str, ...]:
    """What is odd about the queue's keys."""
    found = list(summary.faults)
    if summary.ambiguous:
        found.append(
            "A part of this name is also the name of a key, so its keys may belong to another queue. "
            "It is shown, and nothing is done to it here."
        )
    return tuple(found)
