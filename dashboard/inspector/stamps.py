"""Instants and figures as others wrote them: read when they make sense, None when they do not."""

from __future__ import annotations

import math

LATEST = 253_402_300_799.0
"""The last second of the year 9999: later ones are no date that a page could show."""


def instant(text: bytes | str | None) -> float | None:
    """Return a finite, not negative number of seconds up to the year 9999, else None."""
    if not text or len(text) > 40:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= LATEST else None
