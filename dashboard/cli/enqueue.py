"""`watchkeeper enqueue`: one job from the command line, or many from JSON lines."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from itertools import islice
from typing import IO, Any, Final

import click

from dashboard.cli.names import NAME, exact, printable, shown
from dashboard.cli.options import Duration, Seconds, as_json, examples
from dashboard.cli.output import counted, document
from dashboard.cli.session import Session, pass_session
from dashboard.queue.dedup import SECONDS_MAX, SECONDS_MIN
from dashboard.queue.errors import QueueError
from dashboard.queue.producer import DEDUP_SECONDS, Producer

CHUNK: Final = 100
"""Jobs of one call when many are enqueued."""
DELAY_SECONDS_MAX: Final = 10 * 365 * 86_400.0


@click.command(
    "enqueue",
    short_help="Put jobs into a queue.",
    epilog=examples(
        """watchkeeper enqueue mail '{"to": "ada@mail.example"}'""",
        """watchkeeper enqueue mail '{"to": "ada@mail.example"}' --in 300""",
        """watchkeeper enqueue mail '{"order": 7}' --dedup order-7 --dedup-for 1d""",
        "watchkeeper enqueue mail --from payloads.jsonl",
        "zcat payloads.jsonl.gz | watchkeeper enqueue mail --from -",
    ),
)
@click.argument("queue", type=NAME)
@click.argument("payload", required=False)
@click.option("--from", "source", type=click.File("rb"), help="One JSON payload a line; - is standard input.")
@click.option("--id", "job_id", metavar="ID", help="The job's id; otherwise a fresh one.")
@click.option("--name", metavar="TEXT", help="A name for people, kept in the job.")
@click.option(
    "--in",
    "delay_seconds",
    type=Seconds(0, DELAY_SECONDS_MAX),
    help="Due in so many seconds, not now.",
)
@click.option(
    "--dedup",
    type=NAME,
    metavar="KEY",
    help="Store nothing when a job was enqueued under this key lately; its id is printed then.",
)
@click.option(
    "--dedup-for",
    "dedup_seconds",
    type=Duration(SECONDS_MIN, SECONDS_MAX),
    metavar="TIME",
    help="How long the key of --dedup is remembered: 90, 15m, 1h, 2d.  [default: 1h]",
)
@as_json
@pass_session
def enqueue(
    session: Session,
    queue: bytes,
    payload: str | None,
    source: IO[bytes] | None,
    job_id: str | None,
    name: str | None,
    delay_seconds: float | None,
    dedup: bytes | None,
    dedup_seconds: float | None,
    as_json: bool,
) -> None:
    """Put a job with the JSON value PAYLOAD into QUEUE, or one for each line of a file.

    Prints the id. A wrong line of a file ends the command before its chunk of 100 is sent, and the error says
    how many jobs went in.
    """
    if (payload is None) == (source is None):
        raise click.UsageError("Give either PAYLOAD or --from FILE.")
    if source is not None and (job_id or name or dedup or delay_seconds is not None):
        raise click.UsageError("--id, --name, --in and --dedup belong to one PAYLOAD, not to --from.")
    if dedup_seconds is not None and dedup is None:
        raise click.UsageError("--dedup-for needs --dedup.")
    producer = Producer(session.connections, queue, defaults=session.defaults)
    if source is not None:
        enqueue_lines(producer, queue, source, as_json)
        return
    value = read_payload(payload or "", "PAYLOAD")
    is_new = True
    if dedup is not None:
        stored = producer.enqueue_once(
            value,
            dedup,
            seconds=dedup_seconds or DEDUP_SECONDS,
            delay_seconds=delay_seconds,
            id=job_id,
            name=name,
        )
        new_id, is_new = stored.id, stored.is_new
    elif delay_seconds is None:
        new_id = producer.enqueue(value, id=job_id, name=name)
    else:
        new_id = producer.enqueue_in(value, delay_seconds, id=job_id, name=name)
    if as_json:
        document(exact(queue, "queue") | {"id": new_id, "count": int(is_new)})
    else:
        click.echo(printable(str(new_id)))
    if not is_new:
        click.echo("Nothing was stored: that job was enqueued under the same key before.", err=True)


def read_payload(text: str | bytes, where: str) -> Any:
    """Return the JSON value of a text; raises UsageError that names the place."""
    try:
        return json.loads(text, parse_constant=refuse_constant, parse_float=finite)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{where} is no JSON: {printable(str(error))}") from None


def finite(text: str) -> float:
    """Return a number, unless it is too large for one: it would be stored as Infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large a number")
    return number


def refuse_constant(word: str) -> None:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(f"{word} is no JSON value")


def enqueue_lines(producer: Producer, queue: bytes, source: IO[bytes], as_json: bool) -> None:
    """Enqueue one job a line in chunks, with a progress bar; empty lines are passed over."""
    sent = 0
    label = f"Enqueueing into {shown(queue)}"
    try:
        with click.progressbar(chunks(source), chunk_count(source), label, file=sys.stderr) as bar:
            for payloads in bar:
                producer.enqueue_many(payloads)
                sent += len(payloads)
    except click.UsageError as error:
        raise click.UsageError(f"{error.message} {went_in(sent)}", error.ctx) from None
    except QueueError as error:
        error.args = (f"{error} {went_in(sent)}", *error.args[1:])
        raise
    if as_json:
        document(exact(queue, "queue") | {"count": sent})
    else:
        click.echo(f"Enqueued {counted(sent, 'job')} into {shown(queue)}.")


def went_in(count: int) -> str:
    """Return how far a long enqueue came before it broke."""
    return f"{counted(count, 'job')} went in before that."


def chunks(source: IO[bytes]) -> Iterator[list[Any]]:
    """Yield the payloads of a file in chunks."""
    numbered = enumerate(source, 1)
    while lines := list(islice(numbered, CHUNK)):
        yield [read_payload(line, f"Line {number}") for number, line in lines if line.strip()]


def chunk_count(source: IO[bytes]) -> int | None:
    """Return how many chunks a file will give, None for a pipe: it can be read only once."""
    try:
        if not source.seekable():
            return None
        count = sum(1 for _ in source)
        source.seek(0)
    except OSError:
        return None
    return -(-count // CHUNK)
