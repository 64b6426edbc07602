"""What whole pages show: overview, queue, reap previews, and the rail beside all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.inspector.snapshots.findings import Finding, Severity
from dashboard.inspector.snapshots.jobs import JobList, JobRow
from dashboard.inspector.snapshots.queues import QueueSummary, ScanState
from dashboard.inspector.snapshots.server import RedisHealth
from dashboard.inspector.snapshots.workers import WorkerRow, Workers


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything at a glance."""

    #: server instant
    now: float
    #: what needs attention first, then by name
    queues: tuple[QueueSummary, ...]
    findings: tuple[Finding, ...]
    #: alive and late workers and those that are silent, stale or orphan; the gone ones are not counted
    worker_total: int
    #: jobs pending in all queues
    waiting_total: int
    scan: ScanState
    health: RedisHealth


@dataclass(frozen=True, slots=True)
class QueueView:
    """A queue's own page: the first rows of each list, and its workers."""

    now: float
    summary: QueueSummary
    #: by place: "pending", "processing", "delayed", "dead"
    lists: Mapping[str, JobList]
    workers: Workers
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class PreviewJob:
    """A job that a reap would move, and where to."""

    row: JobRow
    #: "pending" or "dead"; "unknown" for a job whose counter stands beyond 64 KB
    destination: str
    #: "attempts 3, limit 3: the next failure is final", …
    why: str


@dataclass(frozen=True, slots=True)
class ReapPreview:
    """What reaping one worker would do, oldest job first. The script checks everything again."""

    now: float
    queue: QueueSummary
    worker: WorkerRow
    jobs: tuple[PreviewJob, ...]
    #: rows in `jobs`; the rest of `total_count` is not listed
    shown_count: int
    total_count: int
    #: "" or why the processing key cannot be read as a list
    key_fault: str


@dataclass(frozen=True, slots=True)
class StalePreview:
    """What reaping all stale workers and orphan lists would move, worker by worker."""

    now: float
    #: None = all queues
    queue: bytes | None
    #: those that may be reaped, most jobs first; bounded by `shown_count`
    rows: tuple[WorkerRow, ...]
    shown_count: int
    total_count: int
    #: jobs that all of them hold
    held_total: int


@dataclass(frozen=True, slots=True)
class RailQueue:
    """A queue in the rail: its name and the one number that matters."""

    name: bytes
    pending: int | None
    #: gravest finding about it, None = nothing
    severity: Severity | None


@dataclass(frozen=True, slots=True)
class Shell:
    """What stands around each page; at most two seconds old."""

    now: float
    server_label: str
    queues: tuple[RailQueue, ...]
    #: queues that exist; the rail lists the first of them
    queue_count: int
    health: RedisHealth
    scan: ScanState
