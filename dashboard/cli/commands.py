"""The group of all commands, each imported when it is called for.

Owns: their names and their order in help and documentation. Refuses: to import what is not needed: a worker
has no use for what reads pages, and a command that starts at once is used more often.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

NAMES: Final = (
    "demo", "web", "worker", "janitor", "enqueue", "queues", "workers", "jobs", "reap", "retry", "promote",
    "password",
)  # fmt: skip
"""Each is a module of this package that holds a command of the same name."""


class Commands(click.Group):
    """The group; it finds a command by its name among the modules beside this one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the documentation, not of the alphabet."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, None for a name that is none."""
        if cmd_name not in NAMES:
            return None
        command: click.Command = getattr(import_module(f"dashboard.cli.{cmd_name}"), cmd_name)
        return command
