"""The command line as a shell runs it: a real process against a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.processes import ROOT, environment

Run = Callable[..., "Ran"]


class Ran:
    """A finished command: `code`, and both outputs as text."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    def json(self) -> Any:
        """What it printed, read as one JSON document."""
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"Ran(code={self.code}, out={self.out!r}, err={self.err!r})"


@pytest.fixture
def cli(redis_url: str) -> Run:
    """`cli("queues", "--json")` runs the command against the emptied server; arguments may be bytes."""

    def run(*arguments: str | bytes, stdin: bytes = b"", env: dict[str, str | None] | None = None) -> Ran:
        command = [os.fsencode(sys.executable), b"-m", b"dashboard.cli"]
        command += [one if isinstance(one, bytes) else os.fsencode(one) for one in arguments]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            cwd=ROOT,
            env=environment({"REDIS_URL": redis_url} | (env or {})),
            timeout=60,
            check=False,
        )
        return Ran(done)

    return run
