"""One process of the demo, and the guard that outlives them all.

Owns: starting a program in a session of its own with its output in a file, its end, and the pipe to the
guard. Refuses: to know what the programs do, and to touch a process that it did not start.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dashboard.demo.guard import end_all, end_session, session_members

LAST_LINES: Final = 3
"""How much of a dead component's output a sentence about it shows."""
RESTARTS_MAX: Final = 5
RESTARTS_WITHIN_SECONDS: Final = 60.0
"""A component that dies more often than this will not come up by itself: the demo says so and ends."""
YOUNG_SECONDS: Final = 2.0
POLL_SECONDS: Final = 0.05


class DemoEnded(Exception):
    """The demo cannot go on. Its text is the sentence that is shown at the end."""


class Guard:
    """The demo's end of the pipe to `dashboard.demo.guard`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._sessions = folder, list[int]()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "dashboard.demo.guard", str(folder)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def watch(self, session: int) -> None:
        """Put a session into the guard's care."""
        self._sessions.append(session)
        self._tell(f"+{session}\n")

    def forget(self, session: int) -> None:
        """Take a session that has ended out of it, so that its number may be used by others."""
        if session in self._sessions:
            self._sessions.remove(session)
        self._tell(f"-{session}\n")

    def finish(self) -> None:
        """Let the guard end whatever still runs and remove the folder; returns when that is done."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.wait() != 0:
            end_all(self._sessions, self._folder)

    def check(self) -> None:
        """Raise DemoEnded when the guard itself has died: without it a SIGKILL would leave processes."""
        if self._process.poll() is not None:
            raise DemoEnded("The demo ends: its guard process has ended, and nothing else would clean up.")

    def _tell(self, order: str) -> None:
        self.check()
        if self._process.stdin is not None:
            self._process.stdin.write(order.encode())
            self._process.stdin.flush()


@dataclass
class Component:
    """A program of the demo: what it is called on the screen, how it starts, and its process.

    It works in `folder`, the demo's own: gunicorn imports from where it works, and nothing of a stranger may
    be found there.
    `queue` and `worker` are set when the program is one worker under a name of the demo's choosing. A
    component that is `vital` ends the demo when it dies. `pause_seconds` passes before a restart.
    """

    title: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    folder: Path
    queue: bytes = b""
    worker: bytes = b""
    vital: bool = False
    pause_seconds: float = 1.0
    pass_fds: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    died_at: float | None = None
    restarts: list[float] = field(default_factory=list)

    @property
    def session(self) -> int:
        """The session of its process, 0 before the first start."""
        return self.process.pid if self.process else 0

    def start(self, guard: Guard) -> None:
        """Start the program; what it writes goes to its log."""
        with self.log.open("ab") as sink:
            self.process = subprocess.Popen(
                list(self.command),
                cwd=self.folder,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=self.pass_fds,
            )
        guard.watch(self.process.pid)
        self.started_at, self.died_at = time.monotonic(), None

    def has_ended(self) -> bool:
        """Whether its process was started and is gone."""
        return self.process is not None and self.process.poll() is not None

    def bury(self, guard: Guard) -> None:
        """End what a dead component left in its session, and note when it died."""
        end_session(self.session)
        guard.forget(self.session)
        self.died_at = time.monotonic()

    @property
    def died_young(self) -> bool:
        """Whether it ended so soon that nobody can have meant it."""
        return self.died_at is not None and self.died_at - self.started_at < YOUNG_SECONDS

    def count_restart(self) -> None:
        """Note a restart; raises DemoEnded when there were too many of late."""
        now = time.monotonic()
        self.restarts = [at for at in self.restarts if now - at < RESTARTS_WITHIN_SECONDS] + [now]
        if len(self.restarts) > RESTARTS_MAX:
            raise DemoEnded(
                f"The demo ends: {self.title} ended {RESTARTS_MAX + 1} times within a minute. "
                f"Its last words: {self.last_words()}"
            )

    def last_words(self) -> str:
        """The last lines of its output in one line, or a word that there are none."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="backslashreplace").split("\n")
        except OSError:
            return "none."
        return " / ".join([line.strip() for line in lines if line.strip()][-LAST_LINES:]) or "none."

    def ask_to_leave(self) -> None:
        """SIGTERM, and SIGCONT so that a frozen one hears it; also to the frozen children of its session."""
        if self.process is None or self.process.poll() is not None:
            return
        for pid in session_members(self.session):
            send(pid, signal.SIGCONT)
        send(self.session, signal.SIGTERM)

    def wait(self, until: float) -> None:
        """Wait for the end of the process until an instant of the monotonic clock."""
        while not self.has_ended() and self.process is not None and time.monotonic() < until:
            time.sleep(POLL_SECONDS)


def send(pid: int, number: signal.Signals) -> bool:
    """Signal one process; False when it is gone already."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
