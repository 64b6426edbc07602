"""`watchkeeper demo`: hands this process over to the demo, which stands above the command line."""

from __future__ import annotations

import os
import sys

import click

from dashboard.cli.options import examples


@click.command(
    "demo",
    short_help="Run real workers and the console, on a Redis of their own.",
    epilog=examples("watchkeeper demo", "watchkeeper demo --port 9000 --no-open"),
)
@click.option(
    "--port", type=click.IntRange(1, 65_535), help="Port of the console; otherwise 8080 or the next free one."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def demo(port: int | None, no_open: bool) -> None:
    """Run real workers, real failures and the console, with a Redis of its own.

    Three queues: mail heals by itself when a worker is killed, the workers of reports know nothing of
    Watchkeeper and are reaped by hand, webhooks fail, back off and fill the dead letters. With REDIS_URL set,
    that server is used instead of an embedded one, if it has no such queues. Ctrl-C ends every process and
    leaves nothing.
    """
    # -P and the same places to import from: a folder called `dashboard` where this is typed is none of ours.
    command = [sys.executable, "-P", "-m", "dashboard.demo"]
    if port is not None:
        command += ["--port", str(port)]
    if no_open:
        command.append("--no-open")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    os.execve(sys.executable, command, environment)  # noqa: S606 - no shell is meant
