"""The one place that judges heartbeats: reaper, console and command line ask here and so say the same.

Owns: which heartbeat values tell the time, how long a value has been watched without change, and the state
that follows. Refuses: to read or write Redis, and to decide who may reap; the requeue script checks again.

All instants are unix seconds of the server's clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dashboard.queue.policy import Policy

AHEAD_TOLERATED_SECONDS = 5.0
"""A heartbeat further ahead of the server's clock than this tells nothing."""

AHEAD_FLAGGED_SECONDS = 1.0
"""Ahead by more than this is shown as skew; whole seconds alone are never ahead."""

LAG_FLAGGED_SECONDS = 5.0
"""A value older than this (and than half of the threshold) when it first appears is a slow clock's."""

CLOCK_STEP_SECONDS = 1.0
"""A last look further ahead than this means that the server's clock was set back. Less is rounding."""

CHANGED_MARK = b"+"
"""Stands before `first_seen` when another value was seen shortly before, that is, when the worker beat."""


class State(StrEnum):
    """What a worker is, by its heartbeat and by what it holds."""

    ALIVE = "alive"
    LATE = "late"
    """Over half of the threshold without a beat."""
    SILENT = "silent"
    """Old by the clock, but not yet watched unchanged for the threshold."""
    STALE = "stale"
    """Watched unchanged for the threshold, and holding jobs: these wait to be reaped."""
    GONE = "gone"
    """Watched unchanged for the threshold, holding nothing: no alarm."""
    ORPHAN = "orphan"
    """A list of jobs without a heartbeat."""
    STOPPED = "stopped"
    """Neither heartbeat nor jobs: it retired, or never was."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Since when a heartbeat value has been seen, and when it was last looked at.

    `changed`: another value was seen shortly before, so that `first_seen` is the instant of a beat and not
    merely of the first look.
    """

    first_seen: float
    last_seen: float
    value: bytes
    changed: bool = False

    @classmethod
    def parse(cls, stored: bytes | None) -> Watch | None:
        """Return the watch of a field of `{q}:watch`, or None when it is absent or makes no sense."""
        parts = (stored or b"").split(b" ", 2)
        if len(parts) != 3:
            return None
        try:
            first_seen, last_seen = float(parts[0]), float(parts[1])
        except ValueError:
            return None
        if not (math.isfinite(first_seen) and math.isfinite(last_seen)):
            return None
        return cls(first_seen, last_seen, parts[2], parts[0].startswith(CHANGED_MARK))

    def to_bytes(self) -> bytes:
        """Return it as it is stored in `{q}:watch`."""
        mark = CHANGED_MARK if self.changed else b""
        return b"%s%.3f %.3f %s" % (mark, self.first_seen, self.last_seen, self.value)


@dataclass(frozen=True, slots=True)
class Liveness:
    """The judgement. `age_seconds` is None without a heartbeat.

    Flags: "skew" ahead of the server's clock, "slow-clock" far behind it but changing, "unreadable" no
    number.
    """

    state: State
    age_seconds: float | None
    flags: frozenset[str] = frozenset()


def number_of(value: bytes) -> float | None:
    """Return a heartbeat's number, or None when it is no plain finite one."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and b"_" not in value else None


def told_at(value: bytes, now: float) -> float | None:
    """Return the instant that a heartbeat tells, or None when it tells nothing.

    Text, nan, less than nought, milliseconds, and anything further ahead than five seconds tell nothing.
    """
    number = number_of(value)
    return number if number is not None and 0 <= number <= now + AHEAD_TOLERATED_SECONDS else None


def look(watch: Watch | None, value: bytes, now: float, policy: Policy) -> Watch:
    """Return the watch after a look at `now` that found `value`.

    A watch that nobody kept up for the threshold begins anew: who did not look cannot say that nothing
    happened, and while no janitor reached the server, workers may not have either.
    """
    if watch is None or not _was_kept_up(watch, now, policy.stale_after_seconds):
        return Watch(now, now, value)
    if watch.value != value:
        return Watch(now, now, value, changed=_is_a_beat_after(watch.value, value))
    return Watch(watch.first_seen, now, value, watch.changed)


def unchanged_seconds(watch: Watch | None, value: bytes, now: float) -> float:
    """Return for how long `value` has been watched without change: 0 when it is new or nobody watched."""
    if watch is None or watch.value != value:
        return 0.0
    return max(0.0, now - watch.first_seen)


def is_over(value: bytes, watch: Watch | None, now: float, policy: Policy) -> bool:
    """Tell whether a worker counts as dead: unchanged, and silent by its own word, for the threshold."""
    told = told_at(value, now)
    silent_by_its_word = told is None or now - told > policy.stale_after_seconds
    return silent_by_its_word and unchanged_seconds(watch, value, now) >= policy.stale_after_seconds


def judge(value: bytes | None, watch: Watch | None, now: float, policy: Policy, held_count: int) -> Liveness:
    """Judge one worker by its heartbeat, the watch over it, and how many jobs it holds."""
    if value is None:
        return Liveness(State.ORPHAN if held_count else State.STOPPED, None)
    told, flags = told_at(value, now), _flags(value, watch, now, policy)
    watched = unchanged_seconds(watch, value, now)
    age = watched if told is None or "slow-clock" in flags else max(0.0, now - told)
    if is_over(value, watch, now, policy):
        state = State.STALE if held_count else State.GONE
    elif age > policy.stale_after_seconds:
        state = State.SILENT
    elif age > policy.late_after_seconds:
        state = State.LATE
    else:
        state = State.ALIVE
    return Liveness(state, age, flags)


def _flags(value: bytes, watch: Watch | None, now: float, policy: Policy) -> frozenset[str]:
    number = number_of(value)
    if number is None:
        return frozenset({"unreadable"})
    if number > now + AHEAD_FLAGGED_SECONDS:
        return frozenset({"skew"})
    lag_flagged = max(policy.late_after_seconds, LAG_FLAGGED_SECONDS)
    if _beat_seen_at(value, watch, now, policy) - number > lag_flagged:
        return frozenset({"slow-clock"})
    return frozenset()


def _beat_seen_at(value: bytes, watch: Watch | None, now: float, policy: Policy) -> float:
    """Return when this value was seen to replace another one: the true instant of the beat, or -inf."""
    if watch is None:
        return -math.inf
    if watch.value == value:
        return watch.first_seen if watch.changed else -math.inf
    is_beat = _is_a_beat_after(watch.value, value) and _was_kept_up(watch, now, policy.late_after_seconds)
    return now if is_beat else -math.inf


def _is_a_beat_after(before: bytes, value: bytes) -> bool:
    """Tell whether a value that replaced another is a beat: a clock may be slow, but it goes forward.

    One that went back was set back, or somebody else wrote it; the next beat tells.
    """
    earlier, number = number_of(before), number_of(value)
    return earlier is None or number is None or number >= earlier


def _was_kept_up(watch: Watch, now: float, within_seconds: float) -> bool:
    return -CLOCK_STEP_SECONDS <= now - watch.last_seen <= within_seconds
