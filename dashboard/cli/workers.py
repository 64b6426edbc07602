"""`watchkeeper workers`: who beats, who is late, who is stale and holds jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dashboard.cli.names import NAME, exact, printable, shown
from dashboard.cli.options import as_json, examples
from dashboard.cli.output import age, document, table
from dashboard.cli.session import Session, pass_session
from dashboard.queue.liveness import State

if TYPE_CHECKING:
    from dashboard.inspector.snapshots import WorkerRow, Workers


HEADS = ("QUEUE", "WORKER", "STATE", "BEAT", "HELD", "JOB", "HOST", "PID", "NOTE")
ROWS_MAX = 500


@click.command(
    "workers",
    short_help="List workers with their heartbeats.",
    epilog=examples(
        "watchkeeper workers",
        "watchkeeper workers reports --state stale",
        "watchkeeper workers --json | jq -r '.workers[] | select(.can_reap) | .worker'",
    ),
)
@click.argument("queue", type=NAME, required=False)
@click.option(
    "--state", type=click.Choice([state.value for state in State]), help="Only workers in this state."
)
@click.option("--limit", type=click.IntRange(1, ROWS_MAX), default=100, show_default=True, help="Most rows.")
@click.option("--from", "position", default="", metavar="POSITION", help="Go on where the page before ended.")
@as_json
@pass_session
def workers(
    session: Session, queue: bytes | None, state: str | None, limit: int, position: str, as_json: bool
) -> None:
    """List the workers of all queues or of one, the gravest first.

    STATE is judged by the reaper's own rule: stale means that the heartbeat stayed unchanged for the
    threshold while jobs are held; silent means that it is old but has not been watched for that long yet.
    """
    found = session.inspector(page_size=limit).workers(queue, state or "", position)
    if as_json:
        document(workers_document(found))
        return
    if not found.rows:
        click.echo("No workers." if not state else f"No workers in state {state}.")
        return
    table(HEADS, [row(worker) for worker in found.rows])
    if found.page.following is not None:
        click.echo(f"{found.total_count:,} in all; go on with --from {printable(found.page.following)}")


def row(worker: WorkerRow) -> tuple[str | int | None, ...]:
    """Return the cells of one worker."""
    return (
        shown(worker.queue), shown(worker.name), worker.state.value, age(worker.age_seconds),
        worker.held_count, printable(worker.first_job) or None, printable(worker.host) or None,
        worker.pid, note(worker),
    )  # fmt: skip


def note(worker: WorkerRow) -> str:
    """Return what is special about a worker in a few words."""
    parts = sorted(worker.flags)
    if worker.can_reap:
        parts.append("may be reaped")
    if worker.tombstone is not None:
        parts.append(f"{worker.tombstone.state} by {printable(worker.tombstone.by)}".removesuffix(" by "))
    return ", ".join(parts)


def workers_document(found: Workers) -> dict[str, object]:
    """Return the JSON document of a page of workers."""
    return {
        "now": found.now,
        "total_count": found.total_count,
        "following": found.page.following,
        "workers": [worker_document(worker) for worker in found.rows],
    }


def worker_document(worker: WorkerRow) -> dict[str, object]:
    """Return the JSON object of one worker; instants are unix seconds of the server."""
    return (
        exact(worker.queue, "queue")
        | exact(worker.name, "worker")
        | {
            "state": worker.state.value,
            "age_seconds": worker.age_seconds,
            "beat_at": worker.beat_at,
            "flags": sorted(worker.flags),
            "held_count": worker.held_count,
            "first_job": worker.first_job,
            "busy_since": worker.since,
            "host": worker.host,
            "pid": worker.pid,
            "started_at": worker.started_at,
            "process": worker.process,
            "stale_after_seconds": worker.stale_after_seconds,
            "can_reap": worker.can_reap,
            "can_reap_why": worker.can_reap_why,
        }
    )
