"""`watchkeeper queues`: every queue with its depths and its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dashboard.cli.names import exact, shown
from dashboard.cli.options import as_json, examples
from dashboard.cli.output import document, table
from dashboard.cli.session import Session, pass_session

if TYPE_CHECKING:
    from dashboard.inspector.snapshots import Overview, QueueSummary


HEADS = (
    "QUEUE",
    "PENDING",
    "PROCESSING",
    "DELAYED",
    "OVERDUE",
    "DEAD",
    "ALIVE",
    "LATE",
    "STALE",
    "ORPHAN",
    "NOTE",
)


@click.command(
    "queues",
    short_help="List queues with their depths.",
    epilog=examples("watchkeeper queues", "watchkeeper queues --json | jq '.queues[].dead'"),
)
@as_json
@pass_session
def queues(session: Session, as_json: bool) -> None:
    """List the queues: named in settings, registered, or found in Redis."""
    overview = session.reader.overview()
    if as_json:
        document(overview_document(overview))
        return
    if not overview.queues:
        click.echo(f"No queues at {session.factory.address}.")
        return
    table(HEADS, [row(queue) for queue in overview.queues])
    for finding in overview.findings:
        click.echo(f"{finding.severity}: {finding.sentence}")
    if not overview.scan.complete:
        click.echo(
            f"Found so far: looked at {overview.scan.scanned_count:,} of {overview.scan.key_count:,} keys."
        )


def row(queue: QueueSummary) -> tuple[str | int | None, ...]:
    """Return the cells of one queue."""
    depths, workers = queue.depths, queue.workers
    return (
        shown(queue.name), depths.pending, depths.processing, depths.delayed, depths.overdue, depths.dead,
        workers.alive, workers.late, workers.stale, workers.orphan, note(queue),
    )  # fmt: skip


def note(queue: QueueSummary) -> str:
    """Return what is special about a queue in a few words."""
    marks = {
        "paused": queue.policy.paused,
        "manual reaping": queue.policy.reaping == "manual",
        "found, not managed": not queue.managed,
        "ambiguous name": queue.ambiguous,
    }
    return ", ".join([word for word, holds in marks.items() if holds] + list(queue.faults))


def overview_document(overview: Overview) -> dict[str, object]:
    """Return the JSON document of an overview; instants are unix seconds of the server."""
    return {
        "now": overview.now,
        "queues": [queue_document(queue) for queue in overview.queues],
        "findings": [
            {"severity": str(finding.severity), "code": finding.code, "sentence": finding.sentence}
            | (exact(finding.queue, "queue") if finding.queue is not None else {})
            for finding in overview.findings
        ],
        "scan": {
            "complete": overview.scan.complete,
            "scanned_count": overview.scan.scanned_count,
            "key_count": overview.scan.key_count,
        },
    }


def queue_document(queue: QueueSummary) -> dict[str, object]:
    """Return the JSON object of one queue; null stands for a list of the wrong type."""
    depths, workers, policy = queue.depths, queue.workers, queue.policy
    return exact(queue.name, "queue") | {
        "pending": depths.pending,
        "processing": depths.processing,
        "delayed": depths.delayed,
        "overdue": depths.overdue,
        "dead": depths.dead,
        "trash": depths.trash,
        "workers": {
            state: getattr(workers, state) for state in ("alive", "late", "silent", "stale", "gone", "orphan")
        },
        "held": workers.held,
        "managed": queue.managed,
        "ambiguous": queue.ambiguous,
        "policy": {
            "stale_after_seconds": policy.stale_after_seconds,
            "beat_seconds": policy.beat_seconds,
            "max_attempts": policy.max_attempts,
            "reaping": policy.reaping,
            "adopt_orphans": policy.adopt_orphans,
            "paused": policy.paused,
        },
        "oldest_pending_at": queue.oldest_pending_at,
        "faults": list(queue.faults),
    }
