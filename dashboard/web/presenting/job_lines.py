"""Rows of jobs, with the acts that each list offers.

Owns: what a row says and may do. Refuses: to show bytes that the inspector did not make visible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dashboard.inspector.snapshots import JobRow, QueueSummary
from dashboard.web.presenting.scene import Scene
from dashboard.web.texts import moment, shown
from dashboard.web.view_models.job_list import JobLine
from dashboard.web.view_models.parts import Act

TIME_HEADINGS = {"pending": "Enqueued", "processing": "Enqueued", "delayed": "Due", "dead": "Died"}
NOT_READ = "not read"
CUT_MARKS = frozenset({"cut", "large"})
UNREADABLE_MARKS = frozenset({"not JSON", "empty", "not an object"})


def job_lines(scene: Scene, summary: QueueSummary, place: str, rows: Iterable[JobRow]) -> tuple[JobLine, ...]:
    """The rows of one list; equal entries get ids that differ."""
    seen: Counter[str] = Counter()
    lines = []
    for row in rows:
        seen[row.address.digest] += 1
        lines.append(job_line(scene, summary, place, row, seen[row.address.digest]))
    return tuple(lines)


def job_line(scene: Scene, summary: QueueSummary, place: str, row: JobRow, copy: int) -> JobLine:
    """One row; `copy` counts equal entries from 1."""
    address, due = row.address, moment(row.due)
    may_act = scene.may_act and not summary.ambiguous and row.mark != NOT_READ
    worker = address.worker
    ticks = may_act and place != "processing"
    return JobLine(
        dom_id=f"{place}-{address.digest[:16]}" + (f"-{copy}" if copy > 1 else ""),
        href=scene.urls.job(summary.name, address, row.id_text if row.id_is_text else ""),
        id_text=row.id_text,
        payload=row.payload_preview,
        mark=row.mark,
        is_cut=row.mark in CUT_MARKS,
        length=row.length,
        attempts=row.attempts,
        attempts_text="" if row.attempts is not None else row.attempts_text,
        attempts_note=limit_note(row.attempts, summary.policy.max_attempts) if place != "dead" else "",
        error=row.error,
        name=row.name,
        at=moment(row.failed_at if place == "dead" else row.enqueued_at),
        due=due,
        due_text="" if due is not None or row.due is None else f"never ({row.due})",
        worker=shown(worker) if worker is not None else "",
        worker_href=scene.urls.place(summary.name, "workers") if worker is not None else "",
        acts=job_acts(scene, summary, place, row) if may_act else (),
        select_value=f"{address.text()}~{scene.ids.next()}" if ticks else "",
    )


def job_acts(
    scene: Scene, summary: QueueSummary, place: str, row: JobRow, back: str = "", kind: str = "quiet"
) -> tuple[Act, ...]:
    """What can be done with one job where it is."""
    act_on, fields = scene.urls.act, (("scope", "one"), ("job", row.address.text()))
    acts = []
    if place == "dead" and row.mark not in UNREADABLE_MARKS:
        action = act_on(summary.name, "retries")
        acts.append(
            scene.act("Retry", action, *fields, kind=kind, name=f"Retry job {row.id_text}", back=back)
        )
    if place == "delayed":
        action = act_on(summary.name, "promotions")
        acts.append(
            scene.act("Run now", action, *fields, kind=kind, name=f"Run job {row.id_text} now", back=back)
        )
    action = act_on(summary.name, "discards")
    acts.append(
        scene.act("Discard", action, *fields, kind=kind, name=f"Discard job {row.id_text}", back=back)
    )
    return tuple(acts)


def limit_note(attempts: int | None, limit: int) -> str:
    """What the attempts mean, where the limit is reached or passed."""
    if attempts is None or attempts < limit:
        return ""
    if attempts > limit:
        return f"over the limit of {limit:,}"
    return f"limit {limit:,}: the next failure is final"
