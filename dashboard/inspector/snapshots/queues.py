"""A queue at an instant: depths, worker counts, policy in force.

Lengths are LLEN, ZCARD and ZCOUNT of that instant. Sums over workers are the collector's, with their own
instant beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.queue.policy import Policy


@dataclass(frozen=True, slots=True)
class Depths:
    """How long each list is. None: the key has the wrong type, and `QueueSummary.faults` says so."""

    pending: int | None
    #: jobs that workers hold, summed by the collector at `WorkerCounts.at`; None before its first pass
    processing: int | None
    delayed: int | None
    #: members of delayed whose due time has passed by the server clock
    overdue: int | None
    dead: int | None
    trash: int | None


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """Workers of a queue by state; states as in `dashboard.queue.liveness.State`."""

    alive: int
    late: int
    silent: int
    stale: int
    gone: int
    orphan: int
    #: jobs in processing lists, all workers together
    held: int
    #: jobs held by stale workers and in orphan lists: what a reap would move
    reapable_held: int
    #: server instant of the collector's pass; 0.0 before the first
    at: float

    @property
    def live(self) -> int:
        """Workers that may still take or finish a job: alive and late ones."""
        return self.alive + self.late

    @property
    def total(self) -> int:
        """All workers with a heartbeat or a processing list, the gone ones included."""
        return self.alive + self.late + self.silent + self.stale + self.gone + self.orphan


@dataclass(frozen=True, slots=True)
class Rates:
    """Jobs a second from the queue's own counters, over the collector's last passes."""

    enqueued_per_second: float
    #: acked or dead
    finished_per_second: float


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """One row of the overview, and the head of each page of a queue."""

    name: bytes
    depths: Depths
    workers: WorkerCounts
    #: in force: fields of `{q}:policy` over the console's defaults
    policy: Policy
    #: named in settings or marked in its policy; otherwise it was merely found
    managed: bool
    #: a segment of the name is reserved, so that its keys may belong to another queue: acts refuse it
    ambiguous: bool
    #: when the next pending job was enqueued, if that job says so
    oldest_pending_at: float | None
    #: None unless both its producers and its workers count, and before two passes of the collector
    rates: Rates | None
    #: pending as the collector saw it in this process, oldest first, one figure a pass; may be empty
    pending_trend: tuple[int, ...]
    #: last pass of a promoter and of a reaper, as the queue's stats say
    promoted_at: float | None
    reaped_at: float | None
    #: what is odd about its keys, one short sentence each
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScanState:
    """How far the search for queues has come."""

    #: the whole key space has been seen at least once
    complete: bool
    scanned_count: int
    #: DBSIZE
    key_count: int
