"""`watchkeeper worker`: a supervisor with child processes that run one queue's handler."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from dashboard.cli.faults import Failure
from dashboard.cli.names import NAME, shown
from dashboard.cli.options import Seconds, examples
from dashboard.cli.session import Session, pass_session
from dashboard.queue.handler import load
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.worker import Worker


@click.command(
    "worker",
    short_help="Run the jobs of a queue.",
    epilog=examples(
        "watchkeeper worker mail shop.mail:send",
        "watchkeeper worker mail shop.mail:send --processes 4 --batch 10",
    ),
)
@click.argument("queue", type=NAME)
@click.argument("handler", metavar="MODULE:FUNCTION")
@click.option(
    "--processes", type=click.IntRange(1, 256), default=1, show_default=True, help="Child processes."
)
@click.option(
    "--batch", type=click.IntRange(1, 1000), default=1, show_default=True, help="Jobs claimed at a time."
)
@click.option(
    "--name",
    type=NAME,
    help="Run in this one process under a lasting name; otherwise children are called host:pid:random.",
)
@click.option(
    "--grace",
    "grace_seconds",
    type=Seconds(0, 86_400),
    default=20.0,
    show_default=True,
    help="Seconds that a running job gets to finish after SIGTERM.",
)
@pass_session
def worker(
    session: Session,
    queue: bytes,
    handler: str,
    processes: int,
    batch: int,
    name: bytes | None,
    grace_seconds: float,
) -> None:
    """Run the jobs of QUEUE with a handler until SIGTERM or Ctrl-C; a second signal leaves at once.

    MODULE:FUNCTION is imported from the current folder or the installed packages and called with each job; an
    exception that it raises is a failed run. A child that dies gives its jobs back at once and is replaced;
    with --name there is no child, and a worker that dies waits for the janitor or an operator to reap it.
    """
    if name is not None and processes > 1:
        raise click.UsageError("--name is for one process: workers cannot share a name.")
    # Imported here: readers and acts log nothing, and structlog is slow to import.
    from dashboard import logs

    logs.set_up(session.settings)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    if name is not None:
        run_named(session, queue, handler, name, batch, grace_seconds)
        return
    supervisor = Supervisor(
        session.factory,
        queue,
        handler,
        processes=processes,
        batch=batch,
        grace_seconds=grace_seconds,
        defaults=session.defaults,
    )
    if supervisor.run():
        raise Failure(
            f"The worker of {shown(queue)} gave up: its child processes died one after the other, as the log "
            "says. Their jobs went back to the queue."
        )


def run_named(
    session: Session, queue: bytes, handler: str, name: bytes, batch: int, grace_seconds: float
) -> None:
    """Run one worker under a name of its own in this process, until a signal."""
    worker = Worker(
        session.connections,
        queue,
        load(handler),
        name=name,
        batch=batch,
        defaults=session.defaults,
        grace_seconds=grace_seconds,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    worker.run()
