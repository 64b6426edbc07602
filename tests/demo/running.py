"""A running demo for tests: its address, its processes, its folder."""

from __future__ import annotations

import re
import urllib.request
from pathlib import Path
from typing import Self

from tests.support.processes import PythonProcess
from tests.support.server import free_port

UP_WITHIN_SECONDS = 30.0
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


class RunningDemo(PythonProcess):
    """`watchkeeper demo` on a free port, its folder inside `folder`, on its own server unless given one.

    Entering waits until it says its address.
    """

    def __init__(self, folder: Path, redis_url: str | None = None) -> None:
        self.place = folder
        self.address = ""
        super().__init__(
            *("-m", "dashboard.cli", "demo", "--no-open", "--port", str(free_port())),
            env={"TMPDIR": str(folder), "REDIS_URL": redis_url, "WATCHKEEPER_REDIS_URL": None},
        )

    def __enter__(self) -> Self:
        said = self.wait_for_output("Ctrl-C", UP_WITHIN_SECONDS)
        found = ADDRESS.search(said)
        assert found, said
        self.address = found.group()
        return self

    def page(self, path: str = "") -> str:
        """The text of a page of its console."""
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:  # noqa: S310 - loopback
            text: str = answer.read().decode()
            return text

    def processes(self) -> dict[int, str]:
        """Process ids and command lines of everything that it started and that has not ended.

        Its processes are known by the folder that it was given, which is in the environment of each.
        """
        mark = str(self.place).encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
                if mark in told:
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
        return found
