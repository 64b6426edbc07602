"""`watchkeeper password`: makes a line for the users file."""

from __future__ import annotations

import sys
from typing import IO

import click

from dashboard.actions.roles import Role
from dashboard.cli.options import examples

PASSWORD_SIGNS_MIN = 8


@click.command(
    "password",
    short_help="Make a line for the users file.",
    epilog=examples(
        "watchkeeper password ada --role admin >> users.txt",
        "pass show console | watchkeeper password ci --role viewer --stdin >> users.txt",
    ),
)
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.OPERATOR.value,
    show_default=True,
    help="What that person may do.",
)
@click.option(
    "--stdin", "from_stdin", is_flag=True, help="Read the password from the first line of standard input."
)
def password(name: str, role: str, from_stdin: bool) -> None:
    """Print a line "name:role:hash" for the file that WATCHKEEPER_USERS_FILE names.

    Asks for the password twice without showing it; the hash is scrypt with a salt of its own.
    """
    # Imported here: no other command needs Flask, and each starts faster without it.
    from dashboard.web.accounts import NAME_LENGTH_MAX, password_hash

    if not usable(name, NAME_LENGTH_MAX):
        raise click.UsageError(
            f"A name has 1 to {NAME_LENGTH_MAX} printable signs, no colon, no # in front, "
            "no space at its ends."
        )
    secret: str
    if from_stdin:
        secret = first_line(sys.stdin.buffer)
    else:
        secret = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    if len(secret) < PASSWORD_SIGNS_MIN:
        raise click.UsageError(f"The password must have at least {PASSWORD_SIGNS_MIN} signs.")
    click.echo(f"{name}:{role}:{password_hash(secret)}")


def first_line(source: IO[bytes]) -> str:
    """Return the first line without its end; raises UsageError for bytes that a sign-in form cannot send."""
    try:
        return source.readline().rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        raise click.UsageError("The password is not UTF-8 text.") from None


def usable(name: str, length_max: int) -> bool:
    """Whether a line of the users file can begin with this name."""
    is_short = 0 < len(name) <= length_max
    return is_short and name.isprintable() and ":" not in name and name[0] != "#" and name.strip() == name
