"""Real processes for tests, and waiting with a deadline.

Owns: polling for a condition, starting a Python process with captured output, and its guaranteed end
(also when the test run itself is killed). Refuses: to sleep and hope, to leave a process behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]

# Reads until the test run's end of the pipe closes, by exit or by death, then ends the whole group.
GUARD = 'read -r _; kill -s KILL -- "-$1"'


def wait_until(
    condition: Callable[[], T], within_seconds: float, what: str, every_seconds: float = 0.02
) -> T:
    """Poll `condition` until it answers something true, and return that answer.

    `what` is the sentence that the failure shows: "w1 turned stale". Raises AssertionError after
    `within_seconds`; the condition is looked at once more after the deadline, so that a slow machine
    does not fail a condition that came true.
    """
    started = time.monotonic()
    while True:
        over = time.monotonic() - started >= within_seconds
        answer = condition()
        if answer:
            return answer
        if over:
            raise AssertionError(f"not within {within_seconds} s: {what} (last answer: {answer!r})")
        time.sleep(every_seconds)


class Guarded:
    """One started process, leader of its own group, that cannot outlive the test run."""

    def __init__(
        self, command: Sequence[str], cwd: Path, output: Path, env: Mapping[str, str] | None = None
    ) -> None:
        """Start `command`; what it writes (both streams, in order) is appended to the file `output`."""
        self.output_path = output
        with output.open("ab") as sink:
            self._process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=None if env is None else dict(env),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "guard", str(self.pid)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The process id, which is the group id too."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code (negative: the signal that ended it), None while it runs."""
        return self._process.poll()

    def is_running(self) -> bool:
        """Whether it has not ended yet; a frozen process is running."""
        return self.returncode is None

    def output(self) -> str:
        """Everything it has written so far."""
        return self.output_path.read_text(encoding="utf-8", errors="replace")

    def signal(self, number: int) -> None:
        """Send a signal to this process alone, not to its group."""
        if self.is_running():
            os.kill(self.pid, number)

    def freeze(self) -> None:
        """SIGSTOP, and return only when the kernel says that it is stopped."""
        self.signal(signal.SIGSTOP)
        wait_until(lambda: state_of(self.pid) == "T", 5, f"process {self.pid} is stopped")

    def thaw(self) -> None:
        """SIGCONT."""
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to this process alone, and wait for its end; its children stay."""
        self.signal(signal.SIGKILL)
        self.wait(10)

    def wait(self, within_seconds: float) -> int:
        """Wait for the end and return the exit code; AssertionError with the output when it runs on."""
        try:
            return self._process.wait(within_seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"process {self.pid} did not end within {within_seconds} s; it wrote:\n{self.output()}"
            ) from None

    def end(self) -> None:
        """End it and every process of its group, frozen ones too. Safe to call again."""
        if self._guard.poll() is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self._process.wait(10)
            self._guard.kill()
            self._guard.wait(10)
        if self._guard.stdin is not None:
            self._guard.stdin.close()


class PythonProcess(Guarded):
    """A Python process of this interpreter, started in the repository: `PythonProcess("-m", "x")`.

    A context manager: leaving it ends the process and its group. `env` is laid over the environment of
    the tests; a value of None removes a variable.
    """

    def __init__(
        self, *args: str, env: Mapping[str, str | None] | None = None, cwd: Path | None = None
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="watchkeeper-process-")
        super().__init__(
            [sys.executable, *args],
            cwd=cwd or ROOT,
            output=Path(self._folder.name) / "output",
            env=environment(env),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"process {self.pid} ({self.returncode}) wrote:\n{self.output()[-4000:]}")
        self.end()
        self._folder.cleanup()

    def wait_for_output(self, text: str, within_seconds: float) -> str:
        """Wait until it has written `text`; return all of its output. Fails at once when it has ended."""

        def seen() -> bool:
            ended = not self.is_running()
            if text in self.output():
                return True
            assert not ended, f"ended with {self.returncode} before writing {text!r}:\n{self.output()}"
            return False

        wait_until(seen, within_seconds, f"process {self.pid} writes {text!r}")
        return self.output()


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The environment of a child: this one with `changes`, unbuffered, and the repository importable."""
    env = dict(os.environ)
    env["PYTHONUNBUFFERED"] = "1"
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), env.get("PYTHONPATH", "")]))
    for name, value in (changes or {}).items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    return env


def state_of(pid: int) -> str:
    """The kernel's letter for a process: R, S, D, T (stopped), Z (ended, not collected), "" when gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[0]


def run_python(
    *args: str,
    env: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    within_seconds: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run a Python process to its end; its exit code, stdout and stderr (as text, apart)."""
    return subprocess.run(
        [sys.executable, *args],
        cwd=cwd or ROOT,
        env=environment(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=within_seconds,
        check=False,
    )
