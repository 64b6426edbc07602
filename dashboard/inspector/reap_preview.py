"""What a reap would move, and where to, before anybody confirms it.

Owns: the destination of each job by the library's own counter. Refuses: to promise: the script looks again.
"""

from __future__ import annotations

from dashboard.inspector.peeks import Peek
from dashboard.inspector.rows import row_of
from dashboard.inspector.snapshots import JobRow, PreviewJob
from dashboard.queue.answers import Entry
from dashboard.queue.job import bump
from dashboard.queue.policy import Policy

JOBS_SHOWN = 50
JOB_BYTES = 65_536
"""Of each job: its counter usually stands last. Longer jobs are judged by what is seen of them."""


def preview_jobs(peek: Peek, worker: bytes, policy: Policy, now: float) -> tuple[PreviewJob, ...]:
    """Return the jobs of a worker's list, the oldest first, with what each would become."""
    return tuple(
        _preview(entry, row_of("processing", entry, now=now, worker=worker), policy)
        for entry in reversed(peek.entries)
    )


def _preview(entry: Entry, row: JobRow, policy: Policy) -> PreviewJob:
    limit = policy.max_attempts
    if entry.length > len(entry.preview):
        if row.attempts is None:
            return PreviewJob(row, "unknown", "It is too long to look for its counter here.")
        attempts = row.attempts + 1
    else:
        bumped = bump(entry.preview)
        if bumped is None:
            return PreviewJob(row, "dead", "Its counter cannot be read: it goes to dead unchanged.")
        attempts = bumped[1]
    if attempts > limit:
        return PreviewJob(row, "dead", f"attempts {attempts:,}, limit {limit:,}: over the limit")
    if attempts == limit:
        return PreviewJob(
            row, "pending", f"attempts {attempts:,}, limit {limit:,}: the next failure is final"
        )
    return PreviewJob(row, "pending", f"attempts {attempts:,}, limit {limit:,}")
