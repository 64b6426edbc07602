"""`watchkeeper janitor`: reaps stale workers, promotes due jobs, adopts orphans, on managed queues only."""

from __future__ import annotations

import logging
import signal

import click

from dashboard.cli.names import NAME
from dashboard.cli.options import examples
from dashboard.cli.session import Session, pass_session
from dashboard.queue.janitor import Janitor

log = logging.getLogger(__name__)


@click.command(
    "janitor",
    short_help="Reap stale workers and promote due jobs.",
    epilog=examples("watchkeeper janitor", "watchkeeper janitor --queue mail --queue reports"),
)
@click.option(
    "--queue",
    "queues",
    type=NAME,
    multiple=True,
    help="Serve this queue too, beside WATCHKEEPER_QUEUES; repeatable.",
)
@pass_session
def janitor(session: Session, queues: tuple[bytes, ...]) -> None:
    """Keep queues moving until SIGTERM or Ctrl-C: once a second, promote what is due and reap who is stale.

    Acts on the queues named in WATCHKEEPER_QUEUES or by --queue and on those marked managed in their policy;
    a queue that was merely found is left alone. Several janitors at once do no harm.
    """
    # Imported here: readers and acts log nothing, and structlog is slow to import.
    from dashboard import logs

    logs.set_up(session.settings)
    log.info("janitor; the server is %s", session.factory.address)
    named = dict.fromkeys((*session.settings.queues, *queues))
    sweeper = Janitor(session.connections, queues=list(named), defaults=session.defaults)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sweeper.stop())
    sweeper.run()
