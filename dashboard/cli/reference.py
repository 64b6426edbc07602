"""docs/cli.md, written from the commands' own help: `python -m dashboard.cli.reference > docs/cli.md`."""

from __future__ import annotations

import sys
from typing import Final

import click

from dashboard.cli.exit_codes import ExitCode
from dashboard.cli.main import PROGRAM, watchkeeper

HEAD: Final = f"""\
# The command line

Every command says the same with `--help`. Errors are one sentence on standard error; with `--json`, what is
read or done is one JSON document on standard output. Names are taken byte for byte; in a JSON document a name
that is no UTF-8 has escapes, and its bytes stand beside it in a member that ends in `_hex`. Instants are unix
seconds of the Redis server.

This page is written by `python -m dashboard.cli.reference > docs/cli.md`; a test keeps it true.

## {PROGRAM}

"""
WIDTH: Final = 100


def document() -> str:
    """Return the page as Markdown."""
    with context_of(watchkeeper, PROGRAM) as group:
        parts = [HEAD, fenced(group), exit_codes()]
        for name in watchkeeper.list_commands(group):
            command = watchkeeper.get_command(group, name)
            if command is not None:
                with context_of(command, name, group) as context:
                    parts += [f"\n## {context.command_path}\n\n", fenced(context)]
    return "".join(parts)


def context_of(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    """Return what a help is made with; it is laid out for the same width everywhere."""
    settings = dict(command.context_settings) | {"terminal_width": WIDTH, "max_content_width": WIDTH}
    return click.Context(command, parent, info_name=name, **settings)


def fenced(context: click.Context) -> str:
    """Return the help of one command as a block."""
    return f"```text\n{context.command.get_help(context).rstrip()}\n```\n"


def exit_codes() -> str:
    """Return the table of exit codes."""
    lines = [f"| {code.value} | `{code.name}` | {code.meaning} |\n" for code in ExitCode]
    return "\n## Exit codes\n\n| code | name | meaning |\n|---|---|---|\n" + "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(document())
