"""The workers page, of all queues or of one.

Owns: its words, filters and the act on all. Refuses: rows (`worker_lines`).
"""

from __future__ import annotations

from collections.abc import Collection

from dashboard.inspector.snapshots import QueueSummary, WorkerCounts, Workers
from dashboard.web.presenting import heads
from dashboard.web.presenting.scene import Scene
from dashboard.web.presenting.worker_lines import threshold, worker_lines
from dashboard.web.texts import listed, plural, shown
from dashboard.web.view_models.parts import Link
from dashboard.web.view_models.workers import WorkersPage


def workers_page(
    scene: Scene, read: Workers, summary: QueueSummary | None, demo_workers: Collection[bytes]
) -> WorkersPage:
    """The page object; `summary` is that of the queue when the page is about one."""
    urls, counts = scene.urls, read.counts
    name = shown(read.queue) if read.queue is not None else ""
    path = urls.place(read.queue, "workers") if read.queue is not None else urls.workers()
    rows = worker_lines(scene, read.rows, demo_workers)
    return WorkersPage(
        title=f"Workers · {name}" if name else "Workers",
        heading=name or "Workers",
        summary=f"{states_sentence(counts)}. {threshold(read)}",
        queue=name,
        tabs=heads.tabs(scene, summary, "workers") if summary else (),
        live_href=scene.here,
        filters=filters(scene, read),
        rows=rows,
        reap_all=reap_all(scene, counts, read.queue),
        pager=heads.pager(path, read.page, len(rows), "Back", "More", state=read.state),
        empty="" if rows else empty_text(read),
        empty_hint="" if rows or read.state else "watchkeeper worker mail myapp.jobs:handle",
        now=scene.now,
    )


def states_sentence(counts: WorkerCounts) -> str:
    """ "23 alive, 1 late, 2 stale and 1 orphan" """
    return listed([one.label for one in reversed(heads.state_counts(counts, with_gone=True))]) or "No worker"


def filters(scene: Scene, read: Workers) -> tuple[Link, ...]:
    """Links to one state each."""

    def href(state: str) -> str:
        if read.queue is None:
            return scene.urls.workers(state)
        return scene.urls.place(read.queue, "workers", state=state)

    found = heads.state_counts(read.counts, with_gone=True)
    links = [Link("All", href(""), read.state == "", f"{read.counts.total + read.stopped_count:,}")]
    links += [Link(one.state, href(one.state), read.state == one.state, f"{one.count:,}") for one in found]
    if read.stopped_count:
        links.append(Link("stopped", href("stopped"), read.state == "stopped", f"{read.stopped_count:,}"))
    return tuple(links)


def reap_all(scene: Scene, counts: WorkerCounts, queue: bytes | None) -> Link | None:
    """To the preview of reaping all that may be reaped."""
    if not scene.may_act or not (counts.stale or counts.orphan):
        return None
    jobs = plural(counts.reapable_held, "job")
    return Link(f"Reap {reapable_words(counts.stale, counts.orphan)}: {jobs}", scene.urls.reap_stale(queue))


def reapable_words(stale: int, orphan: int) -> str:
    """ "2 stale and 1 orphan" """
    words = [f"{stale:,} stale"] if stale else []
    words += [f"{orphan:,} orphan" if orphan == 1 else f"{orphan:,} orphans"] if orphan else []
    return listed(words)


def empty_text(read: Workers) -> str:
    """Why there is no row."""
    if read.state:
        return f"No worker is {read.state} now."
    return "No worker has beaten here. A worker appears with its first heartbeat."
