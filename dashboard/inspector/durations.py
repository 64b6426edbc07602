"""Spans of time as the console says them in a sentence."""

from __future__ import annotations

_UNITS = ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s"))


def spoken(seconds: float) -> str:
    """Return a span in at most two units: "0.4 s", "4 s", "3 min 16 s", "2 h 5 min", "3 d 4 h"."""
    whole = max(0, round(seconds))
    if seconds < 0.95:
        return f"{max(0.0, seconds):.1f} s"
    for unit, name, rest, rest_name in (
        (86_400, "d", 3_600, "h"),
        (3_600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= unit:
            left = whole % unit // rest
            return f"{whole // unit:,} {name}" + (f" {left} {rest_name}" if left else "")
    return f"{whole} s"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun: "1 job", "8,120 jobs"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
