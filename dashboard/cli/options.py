"""Options that several commands share, and the block of examples that every help ends with."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from dashboard.cli.session import whoami

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
"""Seconds of each unit of time."""

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")

acting_as = click.option(
    "--as", "actor", metavar="NAME", default=whoami, show_default="you@host", help="Who acts, for the record."
)


def examples(*lines: str) -> str:
    """Return an epilog that lists commands to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class Seconds(click.FloatRange):
    """A number of seconds within bounds. Click's own range lets "nan" through, which no bound holds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail with one sentence."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number of seconds.", param, ctx)
        return number


class Duration(click.ParamType[float]):
    """Seconds within bounds, as a number or with a unit: 90, 90s, 15m, 1h, 2d."""

    name = "duration"

    def __init__(self, least: float, most: float) -> None:
        self._seconds = Seconds(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the seconds, or fail with one sentence."""
        text = str(value)
        digits, unit = (text[:-1], text[-1:]) if text[-1:] in UNITS else (text, "s")
        try:
            seconds = float(digits) * UNITS[unit]
        except ValueError:
            self.fail(f"{text} is no time such as 90, 15m, 1h or 2d.", param, ctx)
        return self._seconds.convert(seconds, param, ctx)


class Weights(click.ParamType[list[int]]):
    """Whole numbers with commas between them. Whether they fit the queues, the library says."""

    name = "n,n,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Return the numbers, or fail with one sentence."""
        parts = str(value).split(",")
        if not all(re.fullmatch(r" *[0-9]{1,9} *", part) for part in parts):
            self.fail(f"{value!r} is not a list of whole numbers such as 6,3,1.", param, ctx)
        return [int(part) for part in parts]
