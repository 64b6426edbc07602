"""The programs of the demo, one function each: with which command and environment they start.

Owns: command lines and environments. Refuses: to start anything. Settings of the person who runs the demo
are left out of the environment, so that a demo is the same on every machine.
"""

from __future__ import annotations

import itertools
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dashboard.demo import foreign_worker
from dashboard.demo.components import Component
from dashboard.demo.store import QUEUES
from dashboard.settings.environment import PREFIX

CONTROL: Final = "DEMO_CONTROL"
"""Environment variable that tells the console where the demo listens, and the word to begin with."""
MAIL_PROCESSES: Final = 3
WEBHOOK_PROCESSES: Final = 2
FOREIGN_WORKERS: Final = 3
GRACE_SECONDS: Final = 2
FOREIGN_PAUSE_SECONDS: Final = 2.0
LEFT_OUT: Final = ("REDIS_URL", "PORT", "GUNICORN_CMD_ARGS")


class Programs:
    """Makes the components of one demo, which live in its folder and know its Redis."""

    def __init__(self, folder: Path, url: str, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        kept = {k: v for k, v in environ.items() if not k.startswith(PREFIX) and k not in LEFT_OUT}
        self._environment = kept | {
            "REDIS_URL": url,
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            PREFIX + "QUEUES": b",".join(QUEUES).decode(),
            PREFIX + "SERVER_NAME": "demo",
            PREFIX + "ENVIRONMENT": "demo",
            PREFIX + "OPERATOR_NAME": "you",
            PREFIX + "LOG_LEVEL": "error",
        }

    def console(self, listening_fd: int, control_address: str) -> Component:
        """The console under gunicorn, on a socket that the demo holds open, so that the port stays ours."""
        return self._component(
            "the console",
            "-m", "gunicorn", "-c", "python:dashboard.gunicorn_conf",
            "--bind", f"fd://{listening_fd}", "dashboard.demo.console:application",
            pass_fds=(listening_fd,),
            environment={CONTROL: control_address},
        )  # fmt: skip

    def janitor(self) -> Component:
        """The janitor, as the command line starts it."""
        return self._component("the janitor", *watchkeeper("janitor"))

    def feeder(self) -> Component:
        """The feeder of all three queues."""
        return self._component("the feeder", "-m", "dashboard.demo.feeder")

    def supervisor(self, queue: bytes, handler: str, processes: int) -> Component:
        """A supervised worker, as the command line starts it."""
        return self._component(
            f"the worker of {queue.decode()}",
            *watchkeeper(
                "worker", queue.decode(), f"dashboard.demo.handlers:{handler}",
                "--processes", str(processes), "--grace", str(GRACE_SECONDS),
            ),
            queue=queue,
        )  # fmt: skip

    def foreign(self, queue: bytes = b"reports") -> Component:
        """A foreign worker under a name that no other one had in this demo."""
        name = f"box-{next(self._numbers)}-{secrets.token_hex(2)}"
        return self._component(
            f"worker {name}",
            str(Path(foreign_worker.__file__).resolve()), queue.decode(), name,
            queue=queue,
            worker=name.encode(),
            pause_seconds=FOREIGN_PAUSE_SECONDS,
        )  # fmt: skip

    def _component(
        self,
        title: str,
        *arguments: str,
        queue: bytes = b"",
        worker: bytes = b"",
        pause_seconds: float = 1.0,
        pass_fds: tuple[int, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Component:
        return Component(
            title=title,
            command=[sys.executable, "-P", *arguments],
            folder=self._folder,
            environment=self._environment | dict(environment or {}),
            log=self._folder / f"{title.replace(' ', '-')}.log",
            queue=queue,
            worker=worker,
            pause_seconds=pause_seconds,
            pass_fds=pass_fds,
        )


def watchkeeper(*arguments: str) -> tuple[str, ...]:
    """The arguments for this interpreter that run the command line."""
    return ("-m", "dashboard.cli", *arguments)
