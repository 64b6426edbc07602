"""A running demo for tests: its address, its processes, its folder."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.processes import PythonProcess, wait_until

UP_WITHIN_SECONDS = 30.0
PROGRAM = "from dashboard.cli.main import main; main()"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


class RunningDemo(PythonProcess):
    """`watchkeeper demo` on the next free port, its folder in `folder`, on its own server unless given one.

    Entering waits until it says its address.
    """

    def __init__(self, folder: Path, redis_url: str | None = None) -> None:
        self.place = folder
        self.address = ""
        self._project = stranger_with_a_dashboard()
        super().__init__(
            *("-P", "-c", PROGRAM, "demo", "--no-open"),
            env={"TMPDIR": str(folder), "REDIS_URL": redis_url, "WATCHKEEPER_REDIS_URL": None},
            cwd=Path(self._project.name),
        )

    def __enter__(self) -> Self:
        said = self.wait_for_output("Ctrl-C", UP_WITHIN_SECONDS)
        found = ADDRESS.search(said)
        assert found, said
        self.address = found.group()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it in order, so that the next test meets no straggler on a shared server."""
        try:
            self.signal(signal.SIGINT)
            wait_until(lambda: not self.processes(), 15, "the demo is gone")
        finally:
            super().__exit__(kind, error, trace)
            self._project.cleanup()

    def page(self, path: str = "") -> str:
        """The text of a page of its console."""
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:  # noqa: S310 - loopback
            text: str = answer.read().decode()
            return text

    def processes(self) -> dict[int, str]:
        """Process ids and command lines of everything that it started and that has not ended.

        They are known by the folder that the demo was given: it is in the environment of each, or is where
        it works, or is an argument.
        """
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and (command := self._command(entry)):
                found[int(entry.name)] = command
        return found

    def _command(self, entry: Path) -> str:
        mark = str(self.place).encode()
        try:
            command = (entry / "cmdline").read_bytes()
            told = [command, (entry / "environ").read_bytes(), os.fsencode((entry / "cwd").readlink())]
        except OSError:
            return ""
        return command.replace(b"\0", b" ").decode() if any(mark in one for one in told) else ""


def stranger_with_a_dashboard() -> tempfile.TemporaryDirectory[str]:
    """A folder of somebody's project, with a package called `dashboard` that is not ours."""
    folder = tempfile.TemporaryDirectory(prefix="watchkeeper-project-")
    package = Path(folder.name) / "dashboard"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('the wrong dashboard')")
    return folder
