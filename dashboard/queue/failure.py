"""What a failed job becomes: its next bytes, and when it runs again.

Owns: the counter, the error members and the delay of one failure. Refuses: Redis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.queue import backoff
from dashboard.queue.handler import describe, traceback_of
from dashboard.queue.job import bump, splice
from dashboard.queue.keys import readable


@dataclass(frozen=True, slots=True)
class Failure:
    """`new_raw` goes to delayed for `delay_ms`, or to dead when that is None. `error` is one line."""

    new_raw: bytes
    delay_ms: int | None
    error: str


def of_exception(
    raw: bytes, error: BaseException, *, failed_at: float, worker: bytes, max_attempts: int
) -> Failure:
    """Return what becomes of a job whose handler raised: one attempt more, and its error kept in it."""
    line = describe(error)
    bumped = bump(raw)
    if bumped is None:
        return unreadable(raw, line)
    counted, attempts = bumped
    members: Mapping[str, object] = {
        "error": line,
        "traceback": traceback_of(error),
        "failed_at": round(failed_at, 3),
        "worker": readable(worker),
    }
    delay_ms = None if attempts > max_attempts else backoff.delay_ms(attempts)
    return Failure(splice(counted, members), delay_ms, line)


def unreadable(raw: bytes, reason: str) -> Failure:
    """Return what becomes of bytes that cannot be run: they go to dead, unchanged."""
    return Failure(raw, None, reason)
