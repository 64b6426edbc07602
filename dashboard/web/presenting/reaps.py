"""Previews of reaps.

Owns: what a reap would do, in sentences, and the evidence that its form carries. Refuses: certainty; the
script looks again.
"""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.inspector.snapshots import PreviewJob, ReapPreview, StalePreview, WorkerRow
from dashboard.web.presenting.scene import Scene
from dashboard.web.presenting.worker_lines import worker_line, worker_lines
from dashboard.web.presenting.workers import reapable_words
from dashboard.web.texts import listed, plural, shown
from dashboard.web.tokens import token
from dashboard.web.view_models.parts import Act, Link
from dashboard.web.view_models.reap import ReapLine, ReapPage, ReapStalePage

WARNING = (
    "If the worker is alive after all, a job that it is still running runs twice. "
    "Redis checks once more that it has not beaten since, in the same step that moves the jobs."
)


def reap_page(scene: Scene, read: ReapPreview) -> ReapPage:
    """The preview of one worker."""
    queue, worker = read.queue.name, read.worker
    name = shown(worker.name)
    back = scene.urls.place(queue, "workers")
    refusal = (
        "" if worker.can_reap and not read.queue.ambiguous else worker.can_reap_why or "It cannot be reaped."
    )
    act = None
    if not refusal and scene.may_act and not read.key_fault:
        label = f"Reap: move {plural(read.total_count, 'job')}"
        fields = evidence(worker)
        act = scene.act(label, scene.urls.act(queue, "reaps"), *fields, kind="danger", back=back)
    return ReapPage(
        title=f"Reap {name} · {shown(queue)}",
        heading=f"Reap {name}",
        queue=shown(queue),
        queue_href=scene.urls.queue(queue),
        sentence=read.key_fault or destinations(read),
        warning=WARNING,
        worker=worker_line(scene, worker),
        rows=tuple(reap_line(scene, queue, at, job) for at, job in enumerate(read.jobs)),
        more_note=more_note(read.shown_count, read.total_count, "jobs"),
        refusal=refusal,
        act=act,
        back=Link("Back to the workers", back),
        live_href=scene.here,
        now=scene.now,
    )


def evidence(worker: WorkerRow) -> tuple[tuple[str, str], ...]:
    """The worker and its heartbeat as this page saw it; no `seen` means a list without a heartbeat."""
    fields = (("worker", token(worker.name)),)
    if worker.beat_value is None:
        return fields
    return (*fields, ("seen", token(worker.beat_value)))


def destinations(read: ReapPreview) -> str:
    """ "3 jobs go back to pending and 1 goes to dead." """
    dead = sum(1 for job in read.jobs if job.destination == "dead")
    back = len(read.jobs) - dead
    if not read.total_count:
        return "It holds no job."
    if read.shown_count < read.total_count:
        return f"{plural(read.total_count, 'job')}, of which the first {read.shown_count:,} are listed."
    parts = [f"{plural(back, 'job goes', 'jobs go')} back to pending"] if back else []
    parts += [f"{plural(dead, 'job goes', 'jobs go')} to dead, over the limit"] if dead else []
    return f"{listed(parts)}."


def reap_line(scene: Scene, queue: bytes, at: int, job: PreviewJob) -> ReapLine:
    """One job that would move."""
    row = job.row
    return ReapLine(
        dom_id=f"r-{row.address.digest[:16]}-{at}",
        id_text=row.id_text,
        href=scene.urls.job(queue, row.address, row.id_text if row.id_is_text else ""),
        payload=row.payload_preview,
        mark=row.mark,
        attempts=row.attempts,
        destination=job.destination,
        why=job.why,
    )


def reap_stale_page(scene: Scene, read: StalePreview) -> ReapStalePage:
    """The preview of all that may be reaped."""
    urls, queue = scene.urls, read.queue
    back = urls.place(queue, "workers") if queue is not None else urls.workers()
    words = reapable_words(*counted(read.rows))
    if read.shown_count < read.total_count:
        words = plural(read.total_count, "worker and orphan list", "workers and orphan lists")
    refusal = (
        ""
        if read.total_count
        else "No worker is stale and no list is an orphan now: there is nothing to reap."
    )
    jobs = plural(read.held_total, "job")
    return ReapStalePage(
        title="Reap",
        heading=f"Reap {words}" if words else "Nothing to reap",
        queue=shown(queue) if queue is not None else "",
        sentence=""
        if refusal
        else f"They hold {jobs}. Those over the limit go to dead, the others to pending.",
        warning=WARNING,
        workers=worker_lines(scene, read.rows),
        more_note=more_note(read.shown_count, read.total_count, "workers"),
        refusal=refusal,
        act=None if refusal else stale_act(scene, queue, f"Reap {words}: {jobs}", back),
        back=Link("Back to the workers", back),
        live_href=scene.here,
        now=scene.now,
    )


def stale_act(scene: Scene, queue: bytes | None, label: str, back: str) -> Act | None:
    """The form that reaps them all."""
    if not scene.may_act:
        return None
    fields = () if queue is None else (("queue", token(queue)),)
    return scene.act(label, scene.urls.reaps(), *fields, kind="danger", back=back)


def counted(rows: Iterable[WorkerRow]) -> tuple[int, int]:
    """How many are stale, and how many orphans."""
    states = [str(row.state) for row in rows]
    return states.count("stale"), states.count("orphan")


def more_note(shown_count: int, total_count: int, what: str) -> str:
    """That not all are listed; empty when they are."""
    return f"{shown_count:,} of {total_count:,} {what} listed." if shown_count < total_count else ""
