"""Rows of workers, and the page that lists them.

Owns: what is said of a heartbeat. Refuses: to judge it (the inspector did).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dashboard.inspector.snapshots import WorkerRow, Workers
from dashboard.web.demo_hook import SIGNALS
from dashboard.web.filters import clock, duration
from dashboard.web.presenting.scene import Scene
from dashboard.web.texts import moment, plural, shown
from dashboard.web.tokens import token
from dashboard.web.urls import dom_id
from dashboard.web.view_models.parts import Act, Link
from dashboard.web.view_models.workers import WorkerLine

FLAGS = {
    "skew": "clock? the heartbeat is ahead of the server",
    "slow-clock": "slow clock: far behind the server, but beating",
    "unreadable": "the heartbeat is no time",
}


def worker_lines(
    scene: Scene, rows: Iterable[WorkerRow], demo_workers: Collection[bytes] = ()
) -> tuple[WorkerLine, ...]:
    """The rows; `demo_workers` get the demo's buttons."""
    return tuple(worker_line(scene, row, row.name in demo_workers) for row in rows)


def worker_line(scene: Scene, row: WorkerRow, is_demo: bool = False) -> WorkerLine:
    """One worker."""
    name = shown(row.name)
    beat_at = moment(row.beat_at) if row.state != "stopped" else None
    held = row.held_count
    reap = None
    if row.can_reap and scene.may_act:
        reap = Link("Reap", scene.urls.reap(row.queue, row.name), note=f"worker {name}")
    return WorkerLine(
        dom_id=dom_id("w", row.queue, row.name),
        name=name,
        queue=shown(row.queue),
        queue_href=scene.urls.queue(row.queue),
        state=str(row.state),
        beat_at=beat_at,
        stale_after_seconds=row.stale_after_seconds,
        beat_text="" if beat_at is not None else beat_text(row),
        flags=tuple(FLAGS.get(flag, flag) for flag in sorted(row.flags)),
        holds_count=held or 0,
        holds_text=holds_text(row),
        first_job=row.first_job,
        first_job_href=scene.urls.place(row.queue, "processing") if row.first_job else "",
        since=moment(row.since) if held else None,
        where=where(row),
        reap=reap,
        reap_why=row.can_reap_why,
        demo_acts=demo_acts(scene, row) if is_demo and scene.may_act else (),
    )


CLEAN_ENDS = frozenset({"", "stopped", "exit code 0"})
"""What a worker's tombstone says of an end that nobody need look into."""


def beat_text(row: WorkerRow) -> str:
    """What is said where there is no beat to age."""
    tombstone = row.tombstone
    if tombstone is not None and row.state == "stopped":
        at = clock(moment(tombstone.at))
        if tombstone.state == "reaped":
            return f"died, reaped at {at} by {shown(tombstone.by or 'somebody')}"
        if tombstone.why in CLEAN_ENDS:
            return f"stopped cleanly at {at}"
        return f"ended at {at}, holding nothing: {shown(tombstone.why)}"
    if row.beat_value is None:
        return "no heartbeat at all"
    return f"the heartbeat says {shown(row.beat_value[:40])}"


def holds_text(row: WorkerRow) -> str:
    """How many jobs it holds; the id of the first stands behind it."""
    if row.held_count is None:
        return "unknown: its processing key is no list"
    if row.state == "stopped" and row.tombstone is not None and row.tombstone.held_count:
        return f"{plural(row.tombstone.held_count, 'job')} then"
    if row.held_count == 0:
        return "idle" if row.state in ("alive", "late") else "nothing"
    return plural(row.held_count, "job") + (", first" if row.held_count > 1 and row.first_job else "")


def where(row: WorkerRow) -> str:
    """Host and process, as the worker told."""
    parts = [shown(row.host)] if row.host else []
    parts += [f"pid {row.pid}"] if row.pid else []
    return " · ".join(parts) or "unknown"


def demo_acts(scene: Scene, row: WorkerRow) -> tuple[Act, ...]:
    """The demo's signals."""
    name, action = shown(row.name), scene.urls.demo_signals()
    return tuple(
        scene.act(
            what,
            action,
            ("worker", token(row.name)),
            ("signal", what),
            kind="danger" if what == "SIGKILL" else "quiet",
            name=f"{what} worker {name}",
        )
        for what in SIGNALS
    )


def threshold(read: Workers) -> str:
    """After how long a worker is stale here."""
    least, most = read.stale_after_seconds
    if least == most:
        return f"Stale after {duration(least)} without a beat, the reaper's own threshold"
    return f"Stale after {duration(least)} to {duration(most)} without a beat, as each queue's policy says"
