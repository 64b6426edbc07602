"""`watchkeeper web`: the console under gunicorn."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import replace

import click

from dashboard.cli.faults import Failure
from dashboard.cli.options import examples
from dashboard.cli.session import Session, pass_session


@click.command(
    "web",
    short_help="Serve the console.",
    epilog=examples(
        "watchkeeper web",
        "watchkeeper web --port 9000",
        "WATCHKEEPER_USERS_FILE=users.txt watchkeeper web --host 0.0.0.0",
    ),
)
@click.option("--host", metavar="ADDRESS", help="Listen here instead of WATCHKEEPER_HOST or 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Instead of WATCHKEEPER_PORT, PORT or 8080.")
@pass_session
def web(session: Session, host: str | None, port: int | None) -> None:
    """Serve the console until Ctrl-C or SIGTERM.

    An address that others can reach is refused unless people have to sign in: see WATCHKEEPER_USERS_FILE and
    WATCHKEEPER_PASSWORD in docs/settings.md.
    """
    settings = session.settings
    settings = replace(
        settings,
        host=settings.host if host is None else host,
        port=settings.port if port is None else port,
    )
    settings.check_public_address()
    # Imported here: no other command needs Flask, and each starts faster without it.
    from dashboard.web.gate import Gate

    # Reads the users file: what is wrong with it is said here, not by a server that cannot start.
    Gate(settings)
    check_port(settings.host, settings.port)
    os.environ |= {
        "WATCHKEEPER_REDIS_URL": settings.redis_url,
        "WATCHKEEPER_HOST": settings.host,
        "WATCHKEEPER_PORT": str(settings.port),
    }
    serve()


def check_port(host: str, port: int) -> None:
    """Raise Failure where nobody can listen, before a server tries for seconds."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise Failure(
                f"Cannot listen on {host}:{port} ({error.strerror}): give another --port or --host."
            ) from error


def serve() -> None:
    """Be gunicorn from here on, in this very process: signals, exit code and process id are its own.

    A process of its own would put the current folder first among the places to import from, and a folder
    called `dashboard` there would take our place.
    """
    from gunicorn import __main__ as gunicorn_program
    from gunicorn.app.wsgiapp import run

    sys.argv = [gunicorn_program.__file__, "--config", "python:dashboard.gunicorn_conf", "dashboard.wsgi:app"]
    run()
