"""The trash of a queue.

Owns: its rows and Restore. Refuses: purging, which comes later.
"""

from __future__ import annotations

from dashboard.inspector.snapshots import TrashList, TrashRow
from dashboard.web.presenting import heads
from dashboard.web.presenting.job_lines import CUT_MARKS
from dashboard.web.presenting.scene import Scene
from dashboard.web.texts import moment, plural, shown
from dashboard.web.urls import dom_id
from dashboard.web.view_models.trash import TrashLine, TrashPage


def trash_page(scene: Scene, read: TrashList, kept_count: int) -> TrashPage:
    """The page object; `kept_count` is how many the trash keeps."""
    summary = read.queue
    name, path = shown(summary.name), scene.urls.place(summary.name, "trash")
    may_act = scene.may_act and not summary.ambiguous
    rows = tuple(trash_line(scene, summary.name, row, may_act) for row in read.rows)
    empty = "The trash is empty. What is discarded lies here and can be restored."
    return TrashPage(
        title=f"Trash · {name}",
        queue=name,
        queue_href=scene.urls.queue(summary.name),
        facts=heads.facts(summary),
        badges=heads.badges(summary),
        tabs=heads.tabs(scene, summary, "trash"),
        live_href=scene.here,
        heading=plural(read.total_count, "discarded job") + (", latest first" if len(rows) > 1 else ""),
        rows=rows,
        pager=heads.pager(path, read.page, len(rows), "Newer", "Older"),
        fault=read.key_fault,
        empty="" if rows or read.key_fault else empty,
        note=f"The trash keeps the last {kept_count:,} jobs of this queue.",
        now=scene.now,
    )


def trash_line(scene: Scene, queue: bytes, discarded: TrashRow, may_act: bool) -> TrashLine:
    """One discarded job."""
    row, name = discarded.row, f"Restore job {discarded.row.id_text}"
    action = scene.urls.act(queue, "restores")
    return TrashLine(
        dom_id=dom_id("t", discarded.id),
        id_text=row.id_text,
        payload=row.payload_preview,
        mark=row.mark,
        is_cut=row.mark in CUT_MARKS,
        length=row.length,
        attempts=row.attempts,
        came_from=discarded.place,
        by=shown(discarded.by) if discarded.by else "",
        at=moment(discarded.at),
        acts=(scene.act("Restore", action, ("trash", discarded.id), name=name),) if may_act else (),
    )
