"""The workers page: choosing rows from the collector's pass, reading them fresh, judging them again.

Owns: order, filter, paging and the rows. Refuses: to act, and to count over pages from anything but one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.inspector.holders import Holder
from dashboard.inspector.judging import RANK, Seen, judged_one, why
from dashboard.inspector.records import number, record_of, seconds, text, tombstone_of
from dashboard.inspector.rows import row_of
from dashboard.inspector.snapshots import Page, WorkerRow
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import State, told_at
from dashboard.queue.policy import Policy

TO_BE_REAPED = frozenset({State.STALE, State.SILENT, State.ORPHAN})
"""States in which what a worker holds waits for somebody."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A worker on the list of all: its queue, what the pass saw, and its tombstone where it has one."""

    q: QueueKeys
    policy: Policy
    managed: bool
    seen: Seen
    tombstone: bytes | None


def listed(
    q: QueueKeys, policy: Policy, managed: bool, workers: Iterable[Seen], tombstones: Mapping[bytes, bytes]
) -> list[Listed]:
    """Return one queue's workers, and those of whom only a tombstone is left."""
    found = [Listed(q, policy, managed, seen, tombstones.get(seen.name)) for seen in workers]
    names = {one.seen.name for one in found}
    return found + [
        Listed(q, policy, managed, stopped(name), stone)
        for name, stone in tombstones.items()
        if name not in names
    ]


def in_order(workers: Iterable[Listed]) -> list[Listed]:
    """Return the gravest first; among those that can be reaped the ones that hold most, then by name.

    What a live worker holds changes from one look to the next: rows that went by it would never stand still.
    """

    def rank(one: Listed) -> tuple[int, int, bytes, bytes]:
        held = (one.seen.held or 0) if one.seen.state in TO_BE_REAPED else 0
        return RANK[one.seen.state], -held, one.q.queue, one.seen.name

    return sorted(workers, key=rank)


def page_at(at: str, size: int, total: int) -> tuple[int, Page]:
    """Return where a page begins, and the page; a position that is none, or beyond the end, is the start."""
    start = int(at) if at.isascii() and at.isdigit() and len(at) < 10 and int(at) < total else 0
    previous = None if start == 0 else str(start - size) if start > size else ""
    following = str(start + size) if start + size < total else None
    return start, Page(
        str(start) if start else "", size, total, start + 1 if total else 0, previous, following
    )


def fresh_row(one: Listed, holder: Holder, now: float, *, beat: bool = True) -> WorkerRow:
    """Return a worker's row from what it is now; the watch, and without `beat` the heartbeat, is as seen."""
    held = holder.held
    value = holder.beat if beat else one.seen.value
    seen = judged_one(
        one.seen.name, value, one.seen.watch, held, now, one.policy, may_act=not one.q.ambiguous
    )
    instance, busy = record_of(holder.instance), record_of(holder.busy)
    first = row_of("processing", holder.first, now=now, worker=seen.name) if holder.first else None
    told = told_at(seen.value, now) if seen.value is not None else None
    tells = told is not None and "slow-clock" not in seen.flags
    watch = seen.watch if seen.watch and seen.watch.value == seen.value else None
    return WorkerRow(
        queue=one.q.queue,
        name=seen.name,
        state=seen.state,
        age_seconds=seen.age_seconds,
        beat_at=told if tells else watch.first_seen if watch and watch.changed else None,
        beat_value=seen.value,
        first_seen_at=watch.first_seen if watch else None,
        flags=seen.flags,
        held_count=held,
        first_job=first.id_text if first else "",
        first_job_address=first.address if first else None,
        since=seconds(busy, "since") if held else None,
        host=text(instance, "host"),
        pid=number(instance, "pid"),
        started_at=seconds(instance, "started_at"),
        process=text(instance, "process"),
        stale_after_seconds=one.policy.stale_after_seconds,
        managed=one.managed,
        reaping=one.policy.reaping,
        can_reap=seen.can_reap,
        can_reap_why=why(seen, one.policy, ambiguous=one.q.ambiguous),
        tombstone=tombstone_of(holder.tombstone) if seen.state in (State.STOPPED, State.ORPHAN) else None,
    )


def thresholds(workers: Sequence[Listed], defaults: Policy) -> tuple[float, float]:
    """Return the smallest and the largest threshold in force among these workers' queues."""
    found = {one.policy.stale_after_seconds for one in workers} or {defaults.stale_after_seconds}
    return min(found), max(found)


def stopped(name: bytes) -> Seen:
    """Return what is said of a worker without heartbeat and jobs."""
    return Seen(name, None, None, State.STOPPED, None, frozenset(), 0, False)
