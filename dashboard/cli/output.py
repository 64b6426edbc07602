"""What commands print: a table or sentences for people, one JSON document for scripts.

Owns: columns, ages, numbers, JSON. Refuses: colour and anything else that a pipe would have to strip.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

import click

from dashboard.cli.names import printable

NOTHING: Final = "-"
"""Stands in a table where there is no value."""
MINUTE, HOUR, DAY = 60, 3600, 86_400


def table(heads: Sequence[str], rows: Sequence[Sequence[str | int | None]]) -> None:
    """Print rows under their heads; columns of numbers stand right, texts left."""
    cells = [[NOTHING if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max([len(head), *(len(row[at]) for row in cells)]) for at, head in enumerate(heads)]
    right = [bool(rows) and all(isinstance(row[at], int | None) for row in rows) for at in range(len(heads))]
    for line in [list(heads), *cells]:
        parts = [
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ]
        click.echo("  ".join(parts).rstrip())


def document(content: Mapping[str, object] | Sequence[object]) -> None:
    """Print one JSON document; numbers that JSON does not have become null."""
    click.echo(json.dumps(finite(content), indent=2, ensure_ascii=True))


def finite(value: object) -> object:
    """Return a value with every float that is no number or not finite replaced by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return value


def age(seconds: float | None) -> str | None:
    """Return a span in a unit that fits: "0.4 s", "12 s", "3 min", "5 h", "2 d"; None stays None."""
    if seconds is None or not math.isfinite(seconds):
        return None
    size = abs(seconds)
    sign = "-" if seconds < 0 else ""
    if size < 10:
        return f"{sign}{size:.1f} s"
    for limit, unit, word in ((MINUTE * 2, 1, "s"), (HOUR * 2, MINUTE, "min"), (DAY * 2, HOUR, "h")):
        if size < limit:
            return f"{sign}{size / unit:.0f} {word}"
    return f"{sign}{size / DAY:.0f} d"


def counted(count: int, thing: str, things: str = "") -> str:
    """Return "1 job", "3 jobs", "4,212 jobs"."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def one_line(text: str, length: int) -> str:
    """Return the beginning of a text in one printable line."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= length else line[: length - 1] + "…"
