"""Frozen answers of the inspector, with units in their names.

Owns: the shapes that pages, acts and commands are built on. Refuses: to read, to compute ages from the local
clock (every instant is unix seconds of the Redis server), and to make text for HTML. Names and job bytes are
bytes.
"""

from dashboard.inspector.snapshots.findings import ActKind, Finding, FindingAct, Severity
from dashboard.inspector.snapshots.jobs import Event, JobList, JobRow, JobView, Search, TrashList, TrashRow
from dashboard.inspector.snapshots.pages import (
    Overview,
    PreviewJob,
    QueueView,
    RailQueue,
    ReapPreview,
    Shell,
    StalePreview,
)
from dashboard.inspector.snapshots.paging import Page
from dashboard.inspector.snapshots.queues import Depths, QueueSummary, Rates, ScanState, WorkerCounts
from dashboard.inspector.snapshots.server import RedisHealth
from dashboard.inspector.snapshots.workers import Tombstone, WorkerRow, Workers

__all__ = [
    "ActKind",
    "Depths",
    "Event",
    "Finding",
    "FindingAct",
    "JobList",
    "JobRow",
    "JobView",
    "Overview",
    "Page",
    "PreviewJob",
    "QueueSummary",
    "QueueView",
    "RailQueue",
    "Rates",
    "ReapPreview",
    "RedisHealth",
    "ScanState",
    "Search",
    "Severity",
    "Shell",
    "StalePreview",
    "Tombstone",
    "TrashList",
    "TrashRow",
    "WorkerCounts",
    "WorkerRow",
    "Workers",
]
