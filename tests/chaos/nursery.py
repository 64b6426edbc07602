"""The nursery: one process that has everything imported, and forks each member of a crew in milliseconds.

Owns: both of its sides, `Nursery` in the test and `tend` in the process; it collects the ends of members and
tells of them. Refuses: to know roles; `programs` plays them.

All that is forked stays in its process group, so that the end of the nursery is the end of everything.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.support.processes import ROOT, Guarded, environment, wait_until

ORDERS, ANSWERS = "orders", "answers"
READY_SECONDS = 60.0
LOOK_SECONDS = 0.02


class Member:
    """One forked process, as far as the nursery has told."""

    def __init__(self, nursery: Nursery, pid: int, log: Path) -> None:
        self._nursery, self.pid, self._log = nursery, pid, log

    @property
    def returncode(self) -> int | None:
        """The exit code (negative: the signal that ended it), None while it runs."""
        return self._nursery.ends().get(self.pid)

    def is_running(self) -> bool:
        """Whether it has not ended yet; a frozen process is running."""
        return self.returncode is None

    def signal(self, number: int) -> None:
        """Send it a signal if it is there."""
        if self.is_running():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def wait(self, within_seconds: float) -> None:
        """Wait for its end; AssertionError with its output when it runs on."""
        wait_until(lambda: not self.is_running(), within_seconds, f"{self._log.name} ends:\n{self.output()}")

    def output(self) -> str:
        """Everything it has written so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")


class Nursery:
    """The test's side: starts members until `close`, which ends all of them and what they forked."""

    def __init__(self, folder: Path, env: dict[str, str | None]) -> None:
        self._folder, self._started_count = folder, 0
        os.mkfifo(folder / ORDERS)
        (folder / ANSWERS).touch()
        self._process = Guarded(
            [sys.executable, "-m", "tests.chaos.nursery", str(folder)],
            cwd=ROOT,
            output=folder / "nursery.log",
            env=environment(env),
        )
        # For reading too, so that opening it waits for nobody.
        self._orders = os.open(folder / ORDERS, os.O_RDWR)
        self._answers = (folder / ANSWERS).open(encoding="ascii")
        self._started: list[int] = []
        self._ends: dict[int, int] = {}

    def start(self, role: str, orders: dict[str, Any]) -> Member:
        """Fork a member and return it."""
        self._started_count += 1
        log = self._folder / f"{self._started_count:03}-{role}.log"
        log.touch()
        os.write(self._orders, json.dumps([role, orders, str(log)]).encode() + b"\n")
        wait_until(
            lambda: len(self._told()) >= self._started_count,
            READY_SECONDS,
            f"a {role} starts",
            LOOK_SECONDS / 4,
        )
        pid = self._started[-1]
        self._ends.pop(pid, None)
        return Member(self, pid, log)

    def ends(self) -> dict[int, int]:
        """Exit codes by process id, of all that have ended."""
        self._told()
        return self._ends

    def close(self) -> None:
        """End it and everything that it forked."""
        self._process.end()
        self._answers.close()
        os.close(self._orders)

    def _told(self) -> list[int]:
        for line in whole_lines(self._answers):
            word, *numbers = line.split()
            if word == "started":
                self._started.append(int(numbers[0]))
            else:
                self._ends[int(numbers[0])] = int(numbers[1])
        return self._started


def whole_lines(file: Any) -> list[str]:
    """Return the lines that were added to a text file; one that is half written yet comes the next time."""
    lines: list[str] = []
    while True:
        begun_at = file.tell()
        line = file.readline()
        if not line.endswith("\n"):
            file.seek(begun_at)
            return lines
        lines.append(line)


def tend(folder: Path) -> None:
    """Be the process: fork whom the orders name, and tell of beginnings and ends."""
    from tests.chaos.programs import main

    orders = os.open(folder / ORDERS, os.O_RDWR)
    answers = os.open(folder / ANSWERS, os.O_WRONLY | os.O_APPEND)
    waiting = b""
    while True:
        if select.select([orders], [], [], LOOK_SECONDS)[0]:
            *lines, waiting = (waiting + os.read(orders, 65536)).split(b"\n")
            for line in lines:
                role, options, log = json.loads(line)
                pid = os.fork()
                if not pid:
                    os.close(orders)
                    os.close(answers)
                    play(main, role, options, log)
                os.write(answers, b"started %d\n" % pid)
        while (ended := collected()) is not None:
            os.write(answers, b"ended %d %d\n" % ended)


def collected() -> tuple[int, int] | None:
    """Collect one that has ended: its process id and exit code."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, os.waitstatus_to_exitcode(status)) if pid else None


def play(main: Any, role: str, options: dict[str, Any], log: str) -> None:
    """Be a member: write to the log, play the role, and never return."""
    code = 1
    try:
        sink = os.open(log, os.O_WRONLY | os.O_APPEND)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = main(role, options)
    except BaseException:
        traceback.print_exc()
    finally:
        # An interpreter that is shutting down has its signal handlers no more: one more SIGTERM would show.
        os._exit(code)


if __name__ == "__main__":
    tend(Path(sys.argv[1]))
