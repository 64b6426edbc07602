"""The page of one list of a queue.

Owns: headings, empty states and bulk acts of pending, processing, delayed and dead. Refuses: rows
(`job_lines`).
"""

from __future__ import annotations

from dashboard.inspector.snapshots import JobList
from dashboard.web.presenting import heads
from dashboard.web.presenting.job_lines import TIME_HEADINGS, job_lines
from dashboard.web.presenting.scene import Scene
from dashboard.web.texts import plural, shown
from dashboard.web.view_models.job_list import JobListPage
from dashboard.web.view_models.parts import Act, Selection, SelectionAct

ORDERS = {
    "pending": "next to run first",
    "processing": "by worker",
    "delayed": "soonest first",
    "dead": "newest first",
}
EMPTY = {
    "pending": "No job waits. Workers take a job as soon as one is enqueued.",
    "processing": "No worker holds a job.",
    "delayed": "No job waits for its time. Failed jobs come here until their next run is due.",
    "dead": "No dead job. A job comes here when it has failed more often than the limit allows.",
}
NOTES = {
    "pending": "Workers take from this end while you look, so a row can be gone before you press.",
    "dead": "Retry sets attempts to 0 and keeps every other byte.",
}
SELECTION_VERBS = {
    "pending": (("Discard", "discards", "danger"),),
    "delayed": (("Run now", "promotions", "plain"), ("Discard", "discards", "danger")),
    "dead": (("Retry", "retries", "primary"), ("Discard", "discards", "danger")),
}
PAGER_WORDS = {
    "pending": ("Sooner", "Later"),
    "processing": ("Back", "More"),
    "delayed": ("Sooner", "Later"),
    "dead": ("Newer", "Older"),
}


def job_list_page(scene: Scene, read: JobList) -> JobListPage:
    """The page object."""
    summary, place = read.queue, read.place
    name, path = shown(summary.name), scene.urls.place(summary.name, place)
    rows = job_lines(scene, summary, place, read.rows)
    return JobListPage(
        title=f"{place.capitalize()} · {name}",
        queue=name,
        queue_href=scene.urls.queue(summary.name),
        facts=heads.facts(summary),
        badges=heads.badges(summary),
        place=place,
        tabs=heads.tabs(scene, summary, place),
        live_href=scene.here,
        heading=list_heading(read),
        time_heading=TIME_HEADINGS[place],
        rows=rows,
        pager=heads.pager(path, read.page, len(rows), *PAGER_WORDS[place]),
        bulk=bulk_acts(scene, read),
        selection=selection(scene, read) if rows else None,
        fault=read.key_fault,
        empty="" if rows or read.key_fault else EMPTY[place],
        note=NOTES.get(place, ""),
        now=scene.now,
    )


def list_heading(read: JobList) -> str:
    """ "312 dead jobs, newest first" """
    if read.key_fault:
        return read.place.capitalize()
    one = "job in processing" if read.place == "processing" else f"{read.place} job"
    count = plural(read.total_count, one, one.replace("job", "jobs", 1))
    return f"{count}, {ORDERS[read.place]}" if read.total_count > 1 else count


def bulk_acts(scene: Scene, read: JobList) -> tuple[Act, ...]:
    """Acts on all of the list, with their number."""
    summary = read.queue
    if not scene.may_act or summary.ambiguous or read.key_fault:
        return ()
    if read.place == "dead" and read.total_count:
        label = f"Retry {plural(read.total_count, 'dead job')}"
        action = scene.urls.act(summary.name, "retries")
        bound = ("bound", str(read.total_count))
        fields = (("scope", "all"), bound, ("newest", read.newest_digest))
        return (scene.act(label, action, *fields, kind="plain", note="Oldest first, behind what waits."),)
    if read.place == "delayed" and summary.depths.overdue:
        label = f"Promote {plural(summary.depths.overdue, 'due job')}"
        action = scene.urls.act(summary.name, "promotions")
        fields = (("scope", "all"), ("bound", str(summary.depths.overdue)), ("newest", ""))
        return (scene.act(label, action, *fields, kind="plain", note="In due order."),)
    return ()


def selection(scene: Scene, read: JobList) -> Selection | None:
    """The form of ticked rows."""
    verbs = SELECTION_VERBS.get(read.place, ())
    if not verbs or not scene.may_act or read.queue.ambiguous:
        return None
    acts = tuple(SelectionAct(verb, scene.urls.act(read.queue.name, to), kind) for verb, to, kind in verbs)
    return Selection(acts, (("scope", "ticked"), ("back", scene.here)))
