"""Figures and instants as templates show them; every page and fragment uses the same.

Owns: the template filters. Refuses: local time; the browser adds it.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

from flask import Flask
from markupsafe import Markup

DASH = "–"  # noqa: RUF001 - the sign for "no figure"
UNREADABLE = Markup('<span class="zero" title="not readable">&ndash;</span>')
ZERO = Markup('<span class="zero">0</span>')
KIB = 1024.0


def number(value: float | None) -> str:
    """Thousands apart: "1,204"; None is a dash; a fraction keeps one digit under ten: "0.3"."""
    if value is None or not math.isfinite(value):
        return DASH
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) < 10 else f"{value:,.0f}"


def figure(value: float | None) -> str:
    """A count in a cell: like `number`, but zero is dimmed, and None says that it could not be read."""
    if value is None:
        return UNREADABLE
    return number(value) if value else ZERO


def duration(seconds: float | None) -> str:
    """The two largest units: "0.4 s", "12 s", "3 min 12 s", "2 h 5 min", "3 d 4 h"; None is a dash."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    seconds = max(0.0, seconds)
    if 0 < seconds < 1:
        return f"{max(0.1, math.floor(seconds * 10) / 10):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    for large, size, small, part in (("min", 60, "s", 1), ("h", 3600, "min", 60), ("d", 86400, "h", 3600)):
        if whole < size * (24 if large == "h" else 60) or large == "d":
            rest = whole % size // part
            return f"{whole // size:,} {large} {rest} {small}" if rest else f"{whole // size:,} {large}"
    raise AssertionError("days hold every duration")


def ago(at: datetime | None, now: datetime | None) -> str:
    """An instant relative to the page's: "2 s ago", "in 4 s"; None is a dash."""
    if at is None or now is None:
        return DASH
    seconds = (now - at).total_seconds()
    if seconds < 0:
        return f"in {duration(math.ceil(-seconds))}"
    return f"{duration(math.floor(seconds))} ago"


def iso(at: datetime | None) -> str:
    """For `datetime=`: "2026-11-30T12:03:07.250Z"; empty for None."""
    if at is None:
        return ""
    spec = "milliseconds" if at.microsecond else "seconds"
    return at.astimezone(UTC).isoformat(timespec=spec).replace("+00:00", "Z")


def clock(at: datetime | None) -> str:
    """The time of day: "12:03:07 UTC"; None is a dash."""
    return DASH if at is None else at.astimezone(UTC).strftime("%H:%M:%S UTC")


def bytes_size(count: int | None) -> str:
    """A size: "5 bytes", "2.0 KB", "1.0 MB" (steps of 1,024); None is a dash."""
    if count is None:
        return DASH
    if count < KIB:
        return "1 byte" if count == 1 else f"{count} bytes"
    size = float(count)
    for unit in ("KB", "MB", "GB"):
        size /= KIB
        if size < 999.95 or unit == "GB":
            return f"{size:,.1f} {unit}"
    raise AssertionError("GB holds every size")


def install(app: Flask) -> None:
    """Give templates the filters."""
    for filter_ in (number, figure, duration, ago, iso, clock, bytes_size):
        app.jinja_env.filters[filter_.__name__] = filter_
