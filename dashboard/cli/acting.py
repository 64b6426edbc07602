"""What the acting commands share: finding the jobs that were meant, and telling what an act did.

Owns: from an id or address on the command line to exact addresses; from an outcome, or the lack of one, to
sentences, a JSON document and an exit code. Refuses: to act.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import click

from dashboard.cli.exit_codes import ExitCode
from dashboard.cli.faults import NotFound
from dashboard.cli.names import exact, printable, shown
from dashboard.cli.output import counted, document
from dashboard.queue.address import Address
from dashboard.queue.errors import OutcomeUnknown, ServerAway

if TYPE_CHECKING:
    from dashboard.actions.operator import Operator
    from dashboard.actions.outcome import Outcome
    from dashboard.inspector import Inspector


ACT_ID_BYTES: Final = 16


def new_act_id() -> str:
    """Return a one-time id for one act."""
    return secrets.token_hex(ACT_ID_BYTES)


def chosen(inspector: Inspector, queue: bytes, place: str, jobs: Sequence[str]) -> list[tuple[Address, str]]:
    """Return address and act id of each job that was named, by its address or its id.

    Raises NotFound, before anything has moved, for one that is not in `place`.
    """
    return [(located(inspector, queue, place, job), new_act_id()) for job in jobs]


def located(inspector: Inspector, queue: bytes, place: str, job: str) -> Address:
    """Return the address of one job in `place`; an address is believed, the act looks again."""
    try:
        address = Address.parse(job)
    except ValueError:
        return found_by_id(inspector, queue, place, job)
    if address.place != place:
        raise NotFound(
            f"The address {printable(job)} is one of {address.place}, not of {place}. Nothing was moved."
        )
    return address


def found_by_id(inspector: Inspector, queue: bytes, place: str, job_id: str) -> Address:
    """Return the address of the job with this id, which must be in `place`."""
    view = inspector.job(queue, None, job_id)
    if view.address is None:
        looked = "" if view.search.complete else f" among the {view.search.looked_count:,} entries looked at"
        raise NotFound(
            f"{shown(queue)} has no job with the id {printable(job_id)}{looked}. Nothing was moved."
        )
    if view.address.place != place:
        raise NotFound(f"{printable(job_id)} is in {view.address.place}, not in {place}. Nothing was moved.")
    return view.address


def outcome_of(operator: Operator, act: Callable[[Operator], Outcome], look: Sequence[str]) -> Outcome:
    """Let an operator act and return what came of it.

    Raises OutcomeUnknown where a call was sent and its answer never came; `look` are the words of the command
    that shows what became of it.
    """
    try:
        return act(operator)
    except ServerAway as error:
        if not operator.may_have_acted:
            raise
        command = shlex.join(["watchkeeper", *look])
        raise OutcomeUnknown(
            f"{error} It may have happened all the same, in whole or in part; no job is lost. "
            f"Look with `{command}` before you try again."
        ) from error


def report(outcome: Outcome, done: str, as_json: bool) -> ExitCode:
    """Print what an act did and return the exit code that says the same. `done` is "Retried"."""
    if as_json:
        document(outcome_document(outcome))
    else:
        for sentence in sentences(outcome, done):
            click.echo(sentence)
    return code_for(outcome)


def code_for(outcome: Outcome) -> ExitCode:
    """Return OK when all was done, NOT_FOUND or REFUSED when nothing could be, PARTLY in between."""
    missed = outcome.gone_count + outcome.unreadable_count + outcome.alive_count + outcome.left_count
    if not missed:
        return ExitCode.OK
    if outcome.moved_count or outcome.dead_count:
        return ExitCode.PARTLY
    return ExitCode.NOT_FOUND if outcome.gone_count else ExitCode.REFUSED


def sentences(outcome: Outcome, done: str) -> list[str]:
    """Return what an act did, one short sentence for each thing that there is to say."""
    where = f" of {shown(outcome.queue)}" if outcome.queue is not None else ""
    told = [f"{done} {counted(outcome.moved_count + outcome.dead_count, 'job')}{where}."]
    if outcome.dead_count:
        told.append(f"{counted(outcome.dead_count, 'of them went', 'of them went')} to dead: over the limit.")
    if outcome.gone_count:
        told.append(f"{counted(outcome.gone_count, 'was', 'were')} not there any more.")
    if outcome.unreadable_count:
        told.append(
            f"{counted(outcome.unreadable_count, 'stays', 'stay')} where it is: the attempts cannot be read."
        )
    if outcome.alive_count:
        told.append(
            f"{counted(outcome.alive_count, 'worker is', 'workers are')} alive or not yet over the threshold."
        )
    if outcome.left_count:
        told.append(f"{counted(outcome.left_count, 'job was', 'jobs were')} left; run it again to go on.")
    if outcome.newer_count:
        told.append(f"{outcome.newer_count:,} newer not included.")
    if outcome.repeated is not None:
        told.append(f"Done before by {printable(outcome.repeated.by)}.")
    return told


def outcome_document(outcome: Outcome) -> dict[str, object]:
    """Return the JSON object of an outcome."""
    queue = exact(outcome.queue, "queue") if outcome.queue is not None else {}
    return {"verb": outcome.verb} | queue | {
        "moved_count": outcome.moved_count,
        "dead_count": outcome.dead_count,
        "gone_count": outcome.gone_count,
        "unreadable_count": outcome.unreadable_count,
        "alive_count": outcome.alive_count,
        "left_count": outcome.left_count,
        "newer_count": outcome.newer_count,
        "elapsed_seconds": outcome.elapsed_seconds,
    }  # fmt: skip
