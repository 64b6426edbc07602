"""From any exception to one sentence and an exit code.

Owns: the table of which error means which code. Refuses: to hide a programming error; what is not in the
table keeps its traceback.
"""

from __future__ import annotations

from typing import Final

import click

from dashboard.cli.exit_codes import ExitCode
from dashboard.queue import errors
from dashboard.settings import SettingsError


class NotFound(Exception):
    """What a command was to read or act on is not there. Its text is the sentence."""


class Refusal(Exception):
    """A command does not do what it was asked. Its text is the sentence."""


class Failure(Exception):
    """A command could not go on. Its text is the sentence."""


CODES: Final[tuple[tuple[type[BaseException], ExitCode], ...]] = (
    (click.UsageError, ExitCode.USAGE),
    (SettingsError, ExitCode.USAGE),
    (errors.BadName, ExitCode.USAGE),
    (errors.BadAssignment, ExitCode.USAGE),
    (errors.BadHandler, ExitCode.USAGE),
    (errors.BadPolicy, ExitCode.USAGE),
    (errors.BadTimeLimit, ExitCode.USAGE),
    (Failure, ExitCode.FAILED),
    (NotFound, ExitCode.NOT_FOUND),
    (Refusal, ExitCode.REFUSED),
    (errors.ServerAway, ExitCode.SERVER_AWAY),
    (errors.OutcomeUnknown, ExitCode.OUTCOME_UNKNOWN),
    (errors.QueueError, ExitCode.REFUSED),
    (click.Abort, ExitCode.INTERRUPTED),
    (KeyboardInterrupt, ExitCode.INTERRUPTED),
    (click.ClickException, ExitCode.FAILED),
    (OSError, ExitCode.FAILED),
)
"""The first line that fits decides."""


def code_of(error: BaseException) -> ExitCode | None:
    """Return the exit code of an error, None for one that nobody foresaw."""
    # Imported here: a command that goes well has no use for them.
    from dashboard.actions.refusals import Refused
    from dashboard.inspector.errors import QueueNotFound

    if isinstance(error, QueueNotFound):
        return ExitCode.NOT_FOUND
    if isinstance(error, Refused):
        return ExitCode.REFUSED
    return next((code for kind, code in CODES if isinstance(error, kind)), None)


def sentence_of(error: BaseException) -> str:
    """Return what to tell about an error, in one line."""
    if isinstance(error, click.UsageError):
        return usage_sentence(error)
    if isinstance(error, click.ClickException):
        return " ".join(error.format_message().split())
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return "Interrupted."
    return " ".join(str(error).split()) or type(error).__name__


def usage_sentence(error: click.UsageError) -> str:
    """Return click's message as one sentence with the way to the help."""
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message}; see {error.ctx.command_path} --help." if error.ctx else f"{message}."
