"""Names between the command line, where they are text, and the rooms below, where they are bytes.

Owns: both ways. What the shell hands over goes to Redis byte for byte; what is printed shows control
characters and bytes that are no UTF-8 as escapes, so that no name can move a terminal's cursor. Refuses: to
check a name; the library does.
"""

from __future__ import annotations

import os
import unicodedata
from typing import Final

import click

HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})
"""Unicode categories that are never printed as they are: controls, direction marks, line separators."""


def name(value: str | bytes) -> bytes:
    """Return the exact bytes of a name on the command line: any that the shell can pass, but at least one."""
    if not value:
        raise click.UsageError("A name must not be empty.")
    return value if isinstance(value, bytes) else os.fsencode(value)


NAME: Final = name
"""The type of arguments that are names of queues and workers."""


def shown(name: bytes) -> str:
    """Return a name as text that is safe to print in one line."""
    return printable(name.decode("utf-8", "backslashreplace"))


def printable(text: str) -> str:
    """Return text with everything that could disturb a terminal written as an escape."""
    return "".join(
        escaped(sign) if unicodedata.category(sign) in HIDDEN_CATEGORIES else sign for sign in text
    )


def escaped(sign: str) -> str:
    """Return one character as `\\xNN`, `\\uNNNN` or `\\UNNNNNNNN`."""
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def exact(name: bytes, label: str) -> dict[str, str]:
    """Return the members of a JSON object that tell a name: its text, and its bytes where text cannot.

    `{"queue": "mail"}`; for a name that is no UTF-8 also `"queue_hex"`, and the text has escapes.
    """
    try:
        return {label: name.decode()}
    except UnicodeDecodeError:
        return {label: shown(name), f"{label}_hex": name.hex()}
