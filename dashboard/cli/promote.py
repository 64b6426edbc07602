"""`watchkeeper promote`: delayed jobs go to pending."""

from __future__ import annotations

import sys

import click

from dashboard.cli.acting import chosen, new_act_id, outcome_of, report
from dashboard.cli.names import NAME, shown
from dashboard.cli.options import acting_as, as_json, examples
from dashboard.cli.session import Session, pass_session


@click.command(
    "promote",
    short_help="Put delayed jobs into pending now.",
    epilog=examples("watchkeeper promote mail mail-42", "watchkeeper promote mail --due"),
)
@click.argument("queue", type=NAME)
@click.argument("jobs", nargs=-1, metavar="[ID|ADDRESS]...")
@click.option("--due", "all_due", is_flag=True, help="All whose time has come, in due order.")
@acting_as
@as_json
@pass_session
def promote(
    session: Session, queue: bytes, jobs: tuple[str, ...], all_due: bool, actor: str, as_json: bool
) -> int:
    """Put delayed jobs of QUEUE into pending now: the named ones run next, due or not.

    A janitor does this for due jobs of managed queues by itself.
    """
    if bool(jobs) == all_due:
        raise click.UsageError("Give ids or addresses of delayed jobs, or --due.")
    operator, look = session.operator(actor), ["jobs", shown(queue), "delayed"]
    if all_due:
        summary = session.inspector(page_size=1).jobs(queue, "delayed", "").queue
        bound = summary.depths.overdue or 0
        with click.progressbar(length=bound, label=f"Promoting in {shown(queue)}", file=sys.stderr) as bar:
            outcome = outcome_of(
                operator, lambda by: by.promote_due(queue, new_act_id(), bound, progress=bar.update), look
            )
        return report(outcome, "Promoted", as_json)
    addresses = chosen(session.reader, queue, "delayed", jobs)
    return report(outcome_of(operator, lambda by: by.promote(queue, addresses), look), "Promoted", as_json)
