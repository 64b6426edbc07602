"""`watchkeeper worker`: a supervisor with child processes that run the handler of one queue or several."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

import click

from dashboard.cli.exit_codes import ExitCode
from dashboard.cli.faults import Failure
from dashboard.cli.names import NAME, shown
from dashboard.cli.options import Seconds, Weights, examples
from dashboard.cli.session import Session, pass_session
from dashboard.queue.assignment import Assignment
from dashboard.queue.forked import part_from_forks
from dashboard.queue.handler import load
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.time_limit import SECONDS_MAX, SECONDS_MIN
from dashboard.queue.worker import Worker

log = logging.getLogger(__name__)


@click.command(
    "worker",
    short_help="Run the jobs of a queue, or of several.",
    epilog=examples(
        "watchkeeper worker mail shop.mail:send",
        "watchkeeper worker mail shop.mail:send --processes 4 --batch 10",
        "watchkeeper worker urgent shop.mail:send --then mail --then bulk --weights 6,3,1",
    ),
)
@click.argument("queue", type=NAME)
@click.argument("handler", metavar="MODULE:FUNCTION")
@click.option(
    "--then",
    "others",
    metavar="QUEUE",
    type=NAME,
    multiple=True,
    help="A further queue, of lower priority than those before it; may be repeated.",
)
@click.option(
    "--weights",
    type=Weights(),
    help="The queues' shares of the jobs, in their order. Without it a lower queue waits while a higher one "
    "has jobs.",
)
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
@click.option(
    "--time-limit",
    "time_limit_seconds",
    metavar="SECONDS",
    type=Seconds(SECONDS_MIN, SECONDS_MAX),
    help="A job that runs for longer is a failure: TimeLimitExceeded is raised in its handler, and a child "
    "that lets it run on is ended three seconds later. Otherwise jobs may take as long as they like.",
)
@pass_session
def worker(
    session: Session,
    queue: bytes,
    handler: str,
    others: tuple[bytes, ...],
    weights: list[int] | None,
    processes: int,
    batch: int,
    name: bytes | None,
    grace_seconds: float,
    time_limit_seconds: float | None,
) -> None:
    """Run the jobs of QUEUE with a handler until SIGTERM or Ctrl-C; a second signal leaves at once.

    SIGUSR1 makes it quiet: it claims no more, finishes what it holds, and stays until a signal ends it.

    MODULE:FUNCTION is imported from the current folder or the installed packages and called with each job; an
    exception that it raises is a failed run. A child that dies gives its jobs back at once and is replaced;
    with --name there is no child, and a worker that dies waits for the janitor or an operator to reap it.
    """
    if name is not None and processes > 1:
        raise click.UsageError("--name is for one process: workers cannot share a name.")
    queues = [queue, *others]
    Assignment.of(queues, weights)
    # Imported here: readers and acts log nothing, and structlog is slow to import.
    from dashboard import logs

    logs.set_up(session.settings)
    names = ", ".join(map(shown, queues))
    log.info("worker of %s; the server is %s", names, session.factory.address)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    if name is not None:
        named = Worker(
            session.connections,
            queues,
            load(handler),
            weights=weights,
            name=name,
            batch=batch,
            defaults=session.defaults,
            grace_seconds=grace_seconds,
            time_limit_seconds=time_limit_seconds,
        )
        run_named(named, grace_seconds)
        return
    supervisor = Supervisor(
        session.factory,
        queues,
        handler,
        weights=weights,
        processes=processes,
        batch=batch,
        grace_seconds=grace_seconds,
        time_limit_seconds=time_limit_seconds,
        defaults=session.defaults,
    )
    if supervisor.run():
        raise Failure(
            f"The worker of {names} gave up: its child processes died one after the "
            "other, as the log says. Their jobs went back to the queue."
        )


def run_named(worker: Worker, grace_seconds: float) -> None:
    """Run one worker under a name of its own in this process, until a signal and the grace after it.

    The running job may hold up the main thread, so that another one ends the process.
    """

    part_from_forks()
    leaving: list[threading.Thread] = []

    def leave() -> None:
        leaving.append(threading.current_thread())
        worker.leave()
        os._exit(ExitCode.OK)

    def begin_to_leave(after_seconds: float) -> None:
        timer = threading.Timer(after_seconds, leave)
        timer.daemon = True
        timer.start()

    def stop(_: int, __: FrameType | None) -> None:
        begin_to_leave(0.0 if worker.is_stopping else grace_seconds)
        worker.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    signal.signal(signal.SIGUSR1, lambda *_: worker.quiet())
    worker.run()
    for thread in leaving:
        # It has cut the loop off, and is still to retire.
        thread.join()
