"""One server with its own janitor, supervisor and lone worker, whose server can be killed and brought back.

Owns: these processes, and how long each loop takes to go on after an outage. Refuses: to judge the figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from tests.queue.running import Client, Q, held, janitor, push, ran, supervisor, worker
from tests.support.processes import PythonProcess, wait_until
from tests.support.server import Kind, ValkeyServer

DUE = '{"id":"%s","payload":{},"attempts":0}'
START_SECONDS = 40.0


class Scene:
    """A server that writes everything down, and all kinds of loops on it; `runs` notes what was run."""

    def __init__(self, kind: Kind, runs: ValkeyServer) -> None:
        self._stack = ExitStack()
        self.server = self._stack.enter_context(ValkeyServer(kind, appendonly="yes", appendfsync="always"))
        self.client: Client = self._stack.enter_context(self.server.client())
        self.runs: Client = self._stack.enter_context(runs.client())
        self._runs_url = runs.url
        self.processes: list[PythonProcess] = []
        self.back_at = 0.0

    def __enter__(self) -> Self:
        url, options = self.server.url, {"runs_url": self._runs_url}
        self.processes.append(self._stack.enter_context(janitor(url, "q")))
        self.processes.append(self._stack.enter_context(supervisor(url, **options)))
        self.processes.append(self._stack.enter_context(worker(url, **options)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def occupy(self, name: str, seconds: float) -> list[str]:
        """Give both workers a job that lasts so long, wait until both run theirs, and return the ids."""
        push(self.client, f"{name}-1", f"{name}-2", sleep=seconds)
        wait_until(lambda: len(held(self.client)) == 2, START_SECONDS, "both workers hold a job")
        return [f"{name}-1", f"{name}-2"]

    def go_away(self) -> None:
        """SIGKILL to the server."""
        self.server.kill()

    def come_back(self, name: str, within_seconds: float) -> dict[str, float]:
        """Start the server again; return after how many seconds each loop did something, from its answer on.

        "claims": every worker holds or has run a job that came after; "janitor": it has swept;
        "promoter": a delayed job that came after stands in pending or further.
        """
        self.server.start()
        began, now = time.monotonic(), self.now()
        self.back_at = now
        new = [f"{name}-after-{number}" for number in range(6)]
        push(self.client, *new, sleep=0.2)
        self.client.zadd(Q.delayed, {DUE % f"{name}-due": now})
        waiting: dict[str, Callable[[], Any]] = {
            "claims": lambda: set(new) <= set(ran(self.runs)),
            "janitor": lambda: float(self.client.hget(Q.stats, "reaped_at") or 0) > now,
            "promoter": lambda: not self.client.zcard(Q.delayed),
            "beats": lambda: all(float(beat) >= now - 1 for beat in self.client.hvals(Q.heartbeats)),
        }
        passed: dict[str, float] = {}

        def all_go_on() -> bool:
            for loop in [loop for loop, goes_on in waiting.items() if loop not in passed and goes_on()]:
                passed[loop] = time.monotonic() - began
            return passed.keys() == waiting.keys()

        wait_until(all_go_on, within_seconds, f"claims, beats and the janitor go on; so far {passed}")
        return passed

    def now(self) -> float:
        """The server's clock."""
        seconds, microseconds = self.client.time()
        return float(seconds) + float(microseconds) / 1e6

    def wait_for_sweeps(self, seconds: float) -> None:
        """Wait until the janitor has swept for so many seconds since the server is back."""
        until = self.back_at + seconds
        wait_until(
            lambda: float(self.client.hget(Q.stats, "reaped_at") or 0) > until,
            seconds + 15,
            "the janitor sweeps on",
            every_seconds=0.1,
        )
