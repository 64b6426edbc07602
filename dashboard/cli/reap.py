"""`watchkeeper reap`: what a dead worker held goes back to pending, or to dead when it is over the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dashboard.cli.acting import new_act_id, outcome_of, report
from dashboard.cli.exit_codes import ExitCode
from dashboard.cli.faults import NotFound, Refusal
from dashboard.cli.names import NAME, exact, printable, shown
from dashboard.cli.options import acting_as, as_json, examples
from dashboard.cli.output import counted, document, one_line, table
from dashboard.cli.session import Session, pass_session
from dashboard.cli.watching import silent_holders, unwatched_sentence, watch

if TYPE_CHECKING:
    from dashboard.inspector.snapshots import ReapPreview


@click.command(
    "reap",
    short_help="Give a stale worker's jobs back.",
    epilog=examples(
        "watchkeeper reap reports box-3 --dry-run",
        "watchkeeper reap reports box-3",
        "watchkeeper reap reports --stale",
        "watchkeeper reap --stale --watch",
    ),
)
@click.argument("queue", type=NAME, required=False)
@click.argument("worker", type=NAME, required=False)
@click.option("--stale", is_flag=True, help="All stale workers and orphan lists, of QUEUE or of all queues.")
@click.option(
    "--watch", "watched", is_flag=True, help="With --stale: watch the silent ones for the threshold first."
)
@click.option("--dry-run", is_flag=True, help="Only tell which jobs would go where.")
@acting_as
@as_json
@pass_session
def reap(
    session: Session,
    queue: bytes | None,
    worker: bytes | None,
    stale: bool,
    watched: bool,
    dry_run: bool,
    actor: str,
    as_json: bool,
) -> int:
    """Give the jobs of the stale WORKER of QUEUE back, each with one attempt more.

    Reaping is the one act that can run a job twice: a worker that is only slow may still finish what it
    holds. A worker that is alive is refused; the check is made in the same step as the move.

    Where a janitor or a console watches, --stale knows at once who is stale. Elsewhere --watch looks at the
    heartbeats for as long as the threshold first.
    """
    if stale == (worker is not None) or (not stale and queue is None):
        raise click.UsageError("Give QUEUE and WORKER, or --stale.")
    if watched and not stale:
        raise click.UsageError("--watch belongs to --stale.")
    if stale and dry_run:
        raise click.UsageError(
            "--dry-run is for one worker; `watchkeeper workers --state stale` lists them all."
        )
    if worker is None or queue is None:
        return reap_stale(session, queue, actor, watched=watched, as_json=as_json)
    preview = session.reader.reap_preview(queue, worker)
    row = preview.worker
    if row.beat_value is None and not row.held_count and row.tombstone is None and not preview.key_fault:
        raise NotFound(f"{shown(queue)} has no worker {shown(worker)}.")
    if dry_run:
        show(preview, as_json)
        return ExitCode.OK
    if not preview.worker.can_reap:
        raise Refusal(f"{shown(worker)} was not reaped: {printable(preview.worker.can_reap_why)}")
    seen = preview.worker.beat_value
    outcome = outcome_of(
        session.operator(actor),
        lambda by: by.reap(queue, worker, seen, new_act_id()),
        ["workers", shown(queue)],
    )
    return report(outcome, "Reaped", as_json)


def reap_stale(
    session: Session, queue: bytes | None, actor: str, *, watched: bool, as_json: bool
) -> ExitCode:
    """Reap all that are stale, and say on standard error who may be but was not watched for long enough."""
    if watched:
        watch(session.reader, queue)
    outcome = outcome_of(
        session.operator(actor),
        lambda by: by.reap_stale(queue, new_act_id()),
        ["workers"] if queue is None else ["workers", shown(queue)],
    )
    code = report(outcome, "Reaped", as_json)
    if left := silent_holders(session.reader, queue):
        click.echo(unwatched_sentence(left), err=True)
    return code


def show(preview: ReapPreview, as_json: bool) -> None:
    """Print what a reap would move."""
    worker = preview.worker
    if as_json:
        jobs = [
            {"id": job.row.id_text, "address": job.row.address.text(), "destination": job.destination}
            for job in preview.jobs
        ]
        document(
            exact(worker.queue, "queue")
            | exact(worker.name, "worker")
            | {"can_reap": worker.can_reap, "can_reap_why": worker.can_reap_why}
            | {"total_count": preview.total_count, "jobs": jobs}
        )
        return
    click.echo(printable(preview.worker.can_reap_why))
    if preview.key_fault:
        click.echo(printable(preview.key_fault))
    if preview.jobs:
        table(
            ("JOB", "TO", "WHY"),
            [(one_line(job.row.id_text, 40), job.destination, printable(job.why)) for job in preview.jobs],
        )
    if preview.total_count > preview.shown_count:
        click.echo(f"and {counted(preview.total_count - preview.shown_count, 'more job')}")
