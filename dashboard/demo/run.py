"""The demo from its first line to its last: folder, guard, Redis, crew, console, and the end of them all.

Owns: the order of start and end, the two lines on the screen, the signals that end it. Refuses: to leave a
process or a folder behind, whichever way it ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import redis

from dashboard.demo import store
from dashboard.demo.components import Component, DemoEnded, Guard
from dashboard.demo.control import Control
from dashboard.demo.crew import Crew
from dashboard.demo.ledger import Ledger
from dashboard.demo.programs import FOREIGN_WORKERS, MAIL_PROCESSES, WEBHOOK_PROCESSES, Programs
from dashboard.demo.seeds import sow
from dashboard.queue.errors import translated
from dashboard.queue.factory import ServerFactory

DEFAULT_PORT: Final = 8080
PORTS_TRIED: Final = 50
READY_SECONDS: Final = 30.0
ROUND_SECONDS: Final = 0.1
BACKLOG: Final = 128
TRY: Final = (
    "Try this: under Workers, SIGKILL a worker of reports that holds a job, watch it turn stale, reap it. "
    "Ctrl-C ends everything."
)


def run(port: int | None, *, open_browser: bool) -> None:
    """Run the demo until a signal ends it; raises DemoEnded with the sentence to show when it cannot go on.

    `port` None means 8080 or the next free one; a given port that is taken ends the demo.
    """
    leaving = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: leaving.set())
    with listening(port) as listener, private_folder() as (folder, guard):
        stage(folder, guard, listener, leaving, open_browser=open_browser)


def stage(
    folder: Path, guard: Guard, listener: socket.socket, leaving: threading.Event, *, open_browser: bool
) -> None:
    """Bring everything up, look after it until `leaving` is set, and bring it down."""
    with contextlib.ExitStack() as ending:
        server, url = None, store.given_url(os.environ)
        if not url:
            server, url = store.start_valkey(folder, guard)
        factory = ServerFactory.from_url(url)
        client = factory("command")
        if server is None:
            store.take_over(client, factory.address)
            ending.callback(clear_given, client)
        with translated():
            sow(client, Ledger(client))
        programs = Programs(folder, url, os.environ)
        crew = Crew(guard, client, lambda dead: programs.foreign(dead.queue))
        control = Control(crew.workers, crew.send)
        ending.callback(control.close)
        ending.callback(crew.dismiss)
        if server is not None:
            crew.hire(server)
        crew.hire(programs.console(listener.fileno(), control.address))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        if comes_up(address, crew, leaving):
            for component in workforce(programs):
                crew.hire(component)
            announce(address, open_browser=open_browser)
        while not leaving.wait(ROUND_SECONDS):
            crew.look_after()


def clear_given(client: redis.Redis) -> None:
    """Take the demo's queues out of a server that was given; one that is away keeps them."""
    with contextlib.suppress(redis.RedisError):
        store.clear(client)


def workforce(programs: Programs) -> Iterator[Component]:
    """Yield all but the console, which has the machine for itself until it serves its first page."""
    yield programs.supervisor(b"mail", "mail", MAIL_PROCESSES)
    yield programs.supervisor(b"webhooks", "webhook", WEBHOOK_PROCESSES)
    for _ in range(FOREIGN_WORKERS):
        yield programs.foreign()
    yield programs.feeder()
    yield programs.janitor()


def comes_up(address: str, crew: Crew, leaving: threading.Event) -> bool:
    """Wait until the console serves its first page; False when the demo is told to leave before."""
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        if leaving.wait(ROUND_SECONDS):
            return False
        crew.look_after()
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310 (our own loopback address)
                return True
        except (OSError, urllib.error.URLError):
            continue
    raise DemoEnded(f"The demo ends: the console at {address} served no page within {READY_SECONDS:g} s.")


def announce(address: str, *, open_browser: bool) -> None:
    """Say where the console is and what to try, and open a browser where there is a screen."""
    print(f"Watchkeeper demo: {address}", flush=True)
    print(TRY, flush=True)
    has_screen = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if open_browser and sys.stdout.isatty() and has_screen:
        webbrowser.open(address)


@contextlib.contextmanager
def private_folder() -> Iterator[tuple[Path, Guard]]:
    """A folder of the demo's own and the guard that ends every process and removes it."""
    folder = Path(tempfile.mkdtemp(prefix="watchkeeper-demo-"))
    guard = Guard(folder)
    try:
        yield folder, guard
    finally:
        guard.finish()


@contextlib.contextmanager
def listening(port: int | None) -> Iterator[socket.socket]:
    """The console's socket on loopback, taken before anything starts; raises DemoEnded when there is none."""
    tried = range(port, port + 1) if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED)
    reason = ""
    for number in tried:
        # A socket for each try: one that was bound and could not listen is of no further use.
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", number))
                listener.listen(BACKLOG)
            except OSError as error:
                reason = error.strerror or str(error)
                continue
            yield listener
            return
    raise DemoEnded(
        f"Port {tried[0]} cannot be used ({reason}); give another one with --port, or leave it away."
    )
