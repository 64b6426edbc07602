"""The command line in this process, on a real server; `shell` runs it in a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from dashboard.cli.main import run
from tests.support.processes import ROOT, environment

Run = Callable[..., "Ran"]


@dataclass
class Ran:
    """A finished command: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it printed, read as one JSON document."""
        return json.loads(self.out)


@pytest.fixture
def cli(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`cli("queues", "--json")` runs a command in this process, against the emptied server.

    Arguments may be bytes, as a shell may pass them. A process for each would take most of the time.
    """

    def run_here(*arguments: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ran:
        streams = {
            "stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
            "stdout": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict"),
            "stderr": io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace"),
        }
        with monkeypatch.context() as patch:
            patch.setenv("REDIS_URL", redis_url)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            code = run([os.fsdecode(one) for one in arguments])
        return Ran(int(code), written(streams["stdout"]), written(streams["stderr"]))

    return run_here


@pytest.fixture
def shell(redis_url: str) -> Run:
    """Like `cli`, in a process of its own."""

    def run_there(
        *arguments: str | bytes, stdin: bytes = b"", env: Mapping[str, str | None] | None = None
    ) -> Ran:
        command = [os.fsencode(sys.executable), b"-m", b"dashboard.cli"]
        command += [os.fsencode(one) for one in arguments]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            cwd=ROOT,
            env=environment({"REDIS_URL": redis_url} | dict(env or {})),
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run_there


def written(stream: io.TextIOWrapper) -> str:
    """What was written to a stream."""
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()
