"""`watchkeeper retry`: dead jobs go back to pending."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dashboard.cli.acting import chosen, new_act_id, outcome_of, report
from dashboard.cli.names import NAME, shown
from dashboard.cli.options import acting_as, as_json, examples
from dashboard.cli.session import Session, pass_session

if TYPE_CHECKING:
    from dashboard.actions.operator import Operator
    from dashboard.actions.outcome import Outcome


@click.command(
    "retry",
    short_help="Put dead jobs back into pending.",
    epilog=examples(
        "watchkeeper retry webhooks hook-17",
        "watchkeeper retry webhooks --all",
        "watchkeeper jobs webhooks dead --json | jq -r '.jobs[].address' | xargs watchkeeper retry webhooks",
    ),
)
@click.argument("queue", type=NAME)
@click.argument("jobs", nargs=-1, metavar="[ID|ADDRESS]...")
@click.option(
    "--all", "everything", is_flag=True, help="All that are dead now, oldest first; later arrivals stay."
)
@acting_as
@as_json
@pass_session
def retry(
    session: Session, queue: bytes, jobs: tuple[str, ...], everything: bool, actor: str, as_json: bool
) -> int:
    """Put dead jobs of QUEUE back into pending with attempts set to 0.

    Single ones run next, --all goes behind what is pending. Two dead jobs with the same id: give an address.
    """
    if bool(jobs) == everything:
        raise click.UsageError("Give ids or addresses of dead jobs, or --all.")
    if everything:
        return report(retry_all(session, queue, actor), "Retried", as_json)
    addresses = chosen(session.reader, queue, "dead", jobs)
    operator = session.operator(actor)
    outcome = outcome_of(operator, lambda by: by.retry(queue, addresses), look_at(queue))
    return report(outcome, "Retried", as_json)


def retry_all(session: Session, queue: bytes, actor: str) -> Outcome:
    """Retry what is dead at this instant in bounded calls, with a progress bar."""
    dead = session.inspector(page_size=1).jobs(queue, "dead", "")
    label = f"Retrying in {shown(queue)}"
    with click.progressbar(length=dead.total_count, label=label, file=sys.stderr) as bar:

        def act(operator: Operator) -> Outcome:
            return operator.retry_all(
                queue, dead.total_count, dead.newest_digest, new_act_id(), progress=bar.update
            )

        return outcome_of(session.operator(actor), act, look_at(queue))


def look_at(queue: bytes) -> list[str]:
    """Return the command that shows what is still dead."""
    return ["jobs", shown(queue), "dead"]
