"""`watchkeeper jobs`: one page of a list, or one job by its id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dashboard.cli.faults import NotFound
from dashboard.cli.names import NAME, exact, printable, shown
from dashboard.cli.options import as_json, examples
from dashboard.cli.output import age, document, one_line, table
from dashboard.cli.session import Session, pass_session

if TYPE_CHECKING:
    from dashboard.inspector.snapshots import JobList, JobRow, JobView


PLACES = ("pending", "processing", "delayed", "dead")
ROWS_MAX = 500
PREVIEW_SIGNS = 60


@click.command(
    "jobs",
    short_help="List the jobs of a queue, or show one.",
    epilog=examples(
        "watchkeeper jobs webhooks dead",
        "watchkeeper jobs mail delayed --limit 5 --json",
        "watchkeeper jobs webhooks --id hook-17",
    ),
)
@click.argument("queue", type=NAME)
@click.argument("place", type=click.Choice(PLACES), default="pending")
@click.option("--id", "job_id", metavar="ID", help="Show the one job with this id, wherever it is.")
@click.option("--limit", type=click.IntRange(1, ROWS_MAX), default=20, show_default=True, help="Most rows.")
@click.option("--from", "position", default="", metavar="POSITION", help="Go on where the page before ended.")
@as_json
@pass_session
def jobs(
    session: Session, queue: bytes, place: str, job_id: str | None, limit: int, position: str, as_json: bool
) -> None:
    """List one page of the jobs of QUEUE in PLACE: pending, processing, delayed or dead.

    ADDRESS is what `watchkeeper retry` and `watchkeeper promote` take beside an id; it names
    one entry exactly.
    """
    inspector = session.inspector(page_size=limit)
    if job_id is not None:
        show_one(inspector.job(queue, None, job_id), job_id, as_json)
        return
    found = inspector.jobs(queue, place, position)
    if as_json:
        document(list_document(found))
        return
    if found.key_fault:
        click.echo(found.key_fault)
    elif not found.rows:
        click.echo(f"No {place} jobs in {shown(queue)}.")
    else:
        show_rows(found)


def show_rows(found: JobList) -> None:
    """Print a page of jobs as a table."""
    is_delayed = found.place == "delayed"
    heads = ("ID", "ATTEMPTS", "DUE IN" if is_delayed else "FAILED", "ADDRESS", "ERROR OR PAYLOAD")
    table(heads, [cells(row, found.now, is_delayed) for row in found.rows])
    if found.page.following is not None:
        click.echo(f"{found.total_count:,} in all; go on with --from {printable(found.page.following)}")


def cells(row: JobRow, now: float, is_delayed: bool) -> tuple[str | int | None, ...]:
    """Return the cells of one job."""
    when = age(row.due - now if row.due is not None else None) if is_delayed else failed_ago(row, now)
    text = row.error or (f"[{row.mark}] " if row.mark else "") + row.payload_preview
    attempts = row.attempts if row.attempts is not None else row.attempts_text or None
    return (one_line(row.id_text, 40), attempts, when, row.address.text(), one_line(text, PREVIEW_SIGNS))


def failed_ago(row: JobRow, now: float) -> str | None:
    """Return how long ago a job failed, None when it does not say."""
    since = age(now - row.failed_at if row.failed_at is not None else None)
    return f"{since} ago" if since else None


def list_document(found: JobList) -> dict[str, object]:
    """Return the JSON document of a page of jobs."""
    return exact(found.queue.name, "queue") | {
        "place": found.place,
        "now": found.now,
        "total_count": found.total_count,
        "following": found.page.following,
        "fault": found.key_fault,
        "jobs": [row_document(row) for row in found.rows],
    }


def row_document(row: JobRow) -> dict[str, object]:
    """Return the JSON object of one row; instants are unix seconds of the server."""
    return {
        "id": row.id_text if row.id_is_text else None,
        "address": row.address.text(),
        "attempts": row.attempts,
        "payload_preview": row.payload_preview,
        "bytes": row.length,
        "mark": row.mark,
        "error": row.error,
        "failed_at": row.failed_at,
        "enqueued_at": row.enqueued_at,
        "due": row.due,
    }


def show_one(view: JobView, job_id: str, as_json: bool) -> None:
    """Print one job; raises NotFound when no list holds its id."""
    if view.address is None or view.row is None:
        looked = "" if view.search.complete else f" among the {view.search.looked_count:,} entries looked at"
        raise NotFound(f"{shown(view.queue.name)} has no job with the id {printable(job_id)}{looked}.")
    if as_json:
        document(
            exact(view.queue.name, "queue")
            | {"place": view.place}
            | row_document(view.row)
            | raw_member(view)
        )
        return
    click.echo(f"{shown(view.queue.name)} {view.place} {view.address.text()}")
    click.echo("\n".join(printable(line) for line in view.pretty.split("\n")))
    for text in filter(None, (view.error, view.traceback)):
        click.echo("\n".join(printable(line) for line in text.split("\n")))


def raw_member(view: JobView) -> dict[str, object]:
    """Return the job's bytes for JSON: as text when they are UTF-8, else as hexadecimal."""
    try:
        return {"raw": view.raw.decode(), "raw_is_cut": view.cut}
    except UnicodeDecodeError:
        return {"raw_hex": view.raw.hex(), "raw_is_cut": view.cut}
