"""The entry of the command line: the group, its option, and the one place where errors become codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

import dashboard
from dashboard.cli.commands import Commands
from dashboard.cli.exit_codes import ExitCode
from dashboard.cli.faults import code_of, sentence_of
from dashboard.cli.options import examples
from dashboard.cli.session import Session
from dashboard.queue.errors import ServerError

PROGRAM = "watchkeeper"


def exit_code_lines() -> str:
    """Return the exit codes with their meanings, one a line."""
    lines = [f"  {code.value:>3}  {code.name.lower().replace('_', ' ')}: {code.meaning}" for code in ExitCode]
    return "\n".join(["\b", "Exit codes:", *lines])


@click.group(
    name=PROGRAM,
    cls=Commands,
    epilog=examples("watchkeeper demo", "watchkeeper queues", "watchkeeper web --port 8080")
    + "\n\n"
    + exit_code_lines(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--redis-url",
    metavar="URL",
    default="",
    help="The server; otherwise WATCHKEEPER_REDIS_URL, REDIS_URL or redis://127.0.0.1:6379/0.",
)
@click.version_option(dashboard.__version__, prog_name=PROGRAM)
@click.pass_context
def watchkeeper(context: click.Context, redis_url: str) -> None:
    """Watch over Redis list queues: their workers, their dead letters, their delayed jobs.

    Settings come from the environment (docs/settings.md). Errors are one sentence on standard error.
    """
    session = context.ensure_object(Session)
    session.redis_url = redis_url
    context.call_on_close(session.close)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; only what nobody foresaw raises."""
    session = Session()
    try:
        answer = watchkeeper.main(args=arguments, prog_name=PROGRAM, standalone_mode=False, obj=session)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return ExitCode.OK
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except BrokenPipeError:
        # Whoever read our output has enough (`watchkeeper jobs … | head`): no fault, and nothing to say.
        sys.stdout = None
        return ExitCode.OK
    except (Exception, KeyboardInterrupt) as error:
        code = code_of(error)
        if code is None:
            raise
        sentence = sentence_of(error)
        if isinstance(error, ServerError) and session.server:
            sentence += f" The server is {session.server}."
        click.echo(f"{PROGRAM}: {sentence}", err=True)
        return code
    return answer if isinstance(answer, int) else ExitCode.OK


def main() -> NoReturn:
    """Run the command line of this process and exit with its code."""
    sys.exit(int(run()))
