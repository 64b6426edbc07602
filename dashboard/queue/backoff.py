"""When to try again: the delay of a failed job, and the pause of a loop that met an absent server.

Owns: these two series. Refuses: to sleep.
"""

from __future__ import annotations

import random

FIRST_DELAY_MS = 1_000
DELAY_FACTOR = 4
DELAY_CAP_MS = 3_600_000
"""An hour: longer waits are a matter for an operator."""
SPREAD = 0.25
"""Up to a quarter comes on top, so that a burst of failures does not return in one burst."""

FIRST_PAUSE_SECONDS = 0.05
PAUSE_CAP_SECONDS = 2.0
"""Loops go on within five seconds of the server's return, and not all in the same instant."""


def delay_ms(attempts: int) -> int:
    """Return the milliseconds until a job that failed `attempts` times runs again: 1 s, 4 s, 16 s … 1 h.

    Never less than that base, and up to a quarter more by chance.
    """
    # 4 ** 6 s is over an hour; a counter may be anything, and so could the power be.
    exponent = min(max(attempts, 1) - 1, 6)
    base: int = min(DELAY_CAP_MS, FIRST_DELAY_MS * DELAY_FACTOR**exponent)
    return base + int(base * SPREAD * random.random())


def pause_seconds(tries: int) -> float:
    """Return how long a loop waits after `tries` failures in a row: doubling to 2 s, half of it chance."""
    doublings = min(max(tries, 1) - 1, 10)
    longest: float = min(PAUSE_CAP_SECONDS, FIRST_PAUSE_SECONDS * 2**doublings)
    return longest * (0.5 + 0.5 * random.random())
