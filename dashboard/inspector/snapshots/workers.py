"""A worker at an instant, and what a dead one left behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.inspector.snapshots.paging import Page
from dashboard.inspector.snapshots.queues import QueueSummary, WorkerCounts

if TYPE_CHECKING:
    from dashboard.queue.address import Address
    from dashboard.queue.liveness import State


@dataclass(frozen=True, slots=True)
class Tombstone:
    """How a worker ended: written when it retired or was reaped, kept for a day."""

    #: "stopped" or "reaped"
    state: str
    at: float | None
    #: its last heartbeat, as a server instant
    beat_at: float | None
    held_count: int
    #: who reaped it
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker of one queue."""

    queue: bytes
    name: bytes
    state: State
    #: since its last beat, or since its value was first seen where the value tells nothing; None without one
    age_seconds: float | None
    #: the instant of that beat; None where the value tells nothing (`first_seen_at` counts then)
    beat_at: float | None
    #: the heartbeat as it stands in Redis: the evidence that a reap carries. None = no heartbeat
    beat_value: bytes | None
    #: since when this value has been watched without change
    first_seen_at: float | None
    #: among "skew" (ahead of the server clock), "slow-clock" (far behind but changing), "unreadable"
    flags: frozenset[str]
    #: length of its processing list; None when that key is no list
    held_count: int | None
    #: id text of the oldest job it holds, "" when it holds none
    first_job: str
    #: where that job stands, for a link
    first_job_address: Address | None
    #: since when it has been busy, if it says so
    since: float | None
    host: str
    pid: int | None
    started_at: float | None
    #: "supervised", "embedded" or "" when unknown (a foreign worker)
    process: str
    #: the threshold in force: the reaper's own
    stale_after_seconds: float
    #: its queue is managed
    managed: bool
    #: "automatic" or "manual"
    reaping: str
    can_reap: bool
    #: one sentence: why it may be reaped, or why not
    can_reap_why: str
    tombstone: Tombstone | None


@dataclass(frozen=True, slots=True)
class Workers:
    """Workers of all queues or of one, the gravest first."""

    #: server instant of the collector's pass that these rows come from
    now: float
    #: None = all queues
    queue: bytes | None
    #: the filter, "" = every state
    state: str
    rows: tuple[WorkerRow, ...]
    #: over all states, whatever the filter
    counts: WorkerCounts
    stopped_count: int
    #: rows that the filter lets through
    total_count: int
    page: Page
    #: smallest and largest threshold in force among the queues shown, seconds
    stale_after_seconds: tuple[float, float]
    #: of the queue when the page is about one
    summary: QueueSummary | None = None
