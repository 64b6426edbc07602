"""A queue's policy: the thresholds that workers, janitor, console and command line share.

It lives in `{q}:policy`; what is absent there comes from the settings. Reading never fails: a field that
makes no sense falls back and is reported in `faults`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import redis

from dashboard.queue.errors import BadPolicy, translated
from dashboard.queue.keys import QueueKeys

STALE_AFTER_MIN_SECONDS = 3.0
"""Under this a garbage collection or a slow disk looks like a death."""

BEATS_PER_THRESHOLD_MIN = 3
"""A worker may lose two beats in a row and still be alive."""

HEARD_WITHIN_SECONDS = 10.0
"""How soon every worker goes by a policy that was changed."""

MAX_ATTEMPTS_MAX = 1_000_000
"""More is surely a mistake; the counter itself has no limit."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules in force for one queue.

    `stale_after_seconds`: a heartbeat older than this, watched unchanged for as long, makes a worker
    stale. `beat_seconds`: how often workers beat. `max_attempts`: a job with more attempts is dead.
    `reaping`: "automatic" (the janitor reaps) or "manual" (an operator does). `adopt_orphans`: whether
    the janitor gives processing lists without heartbeat one. `paused`: workers of ours claim nothing.
    `managed`: daemons may act on the queue. `faults`: sentences about stored fields that made no sense.
    """

    stale_after_seconds: float = 30.0
    beat_seconds: float = 5.0
    max_attempts: int = 3
    reaping: str = "automatic"
    adopt_orphans: bool = True
    paused: bool = False
    managed: bool = False
    faults: tuple[str, ...] = ()

    @property
    def late_after_seconds(self) -> float:
        """The age of a heartbeat over which a worker is late: half of the threshold."""
        return self.stale_after_seconds / 2

    @property
    def beat_pause_seconds(self) -> float:
        """How long a worker waits with its next beat: no longer than a new policy may take to be heard."""
        return min(self.beat_seconds, HEARD_WITHIN_SECONDS)

    def check(self) -> Policy:
        """Return self, or raise BadPolicy with the sentence that says what contradicts what."""
        for sentence in self._refusals().values():
            raise BadPolicy(sentence)
        return self

    def _refusals(self) -> dict[str, str]:
        """Return why each field that cannot be in force cannot."""
        refusals = {}
        if not self.stale_after_seconds >= STALE_AFTER_MIN_SECONDS:
            refusals["stale_after_seconds"] = (
                f"stale_after_seconds is {self.stale_after_seconds:g}; "
                f"under {STALE_AFTER_MIN_SECONDS:g} s healthy workers would be reaped."
            )
        if not 0 < self.beat_seconds <= self.stale_after_seconds / BEATS_PER_THRESHOLD_MIN:
            refusals["beat_seconds"] = (
                f"beat_seconds is {self.beat_seconds:g}; it must be over 0 and "
                f"at most a third of stale_after_seconds, which is {self.stale_after_seconds:g}."
            )
        if not 0 <= self.max_attempts <= MAX_ATTEMPTS_MAX:
            refusals["max_attempts"] = (
                f"max_attempts is {self.max_attempts}; it must be 0 to {MAX_ATTEMPTS_MAX}."
            )
        if self.reaping not in ("automatic", "manual"):
            refusals["reaping"] = f"reaping is {self.reaping!r}; it is automatic or manual."
        return refusals

    @classmethod
    def from_hash(cls, stored: Mapping[bytes, bytes | None], defaults: Policy) -> Policy:
        """Return the policy of `{q}:policy` over `defaults`.

        A field that makes no sense is reported, not obeyed.

        Each field falls back alone, as it does in lua/shared/rules.lua. A beat that is too long for its
        threshold becomes a third of it where the default is too long as well.
        """
        policy, faults = defaults, []
        for name, read in _READERS.items():
            value = stored.get(name.encode())
            if value is None:
                continue
            change: dict[str, Any] = {}
            try:
                change[name] = read(value)
                policy = replace(policy, **change)
            except ValueError:
                faults.append(f"{name} is {value[:40].decode('utf-8', 'backslashreplace')!r}")
        for name in ("stale_after_seconds", "beat_seconds", "max_attempts", "reaping"):
            sentence = policy._refusals().get(name)
            if sentence:
                faults.append(sentence)
                policy = replace(policy, **{name: getattr(defaults, name)})
        if "beat_seconds" in policy._refusals():
            beat_seconds = policy.stale_after_seconds / BEATS_PER_THRESHOLD_MIN
            policy = replace(policy, beat_seconds=beat_seconds)
        return replace(policy, faults=tuple(faults))

    @classmethod
    def read(cls, client: redis.Redis, queue: QueueKeys, defaults: Policy) -> Policy:
        """Return the policy in force, in one round trip. A policy key of another type counts as absent."""
        with translated():
            try:
                values: list[bytes | None] = client.hmget(queue.policy, FIELD_NAMES)  # type: ignore[assignment]
            except redis.ResponseError as error:
                if "WRONGTYPE" not in str(error):
                    raise
                return replace(defaults, faults=("the policy key is not a hash",))
        return cls.from_hash(dict(zip(FIELD_BYTES, values, strict=True)), defaults)

    def to_hash(self) -> dict[bytes, bytes]:
        """Return every field as it is stored in `{q}:policy`."""
        return {name.encode(): _stored(getattr(self, name)) for name in FIELD_NAMES}


def _stored(value: object) -> bytes:
    if isinstance(value, bool):
        return b"1" if value else b"0"
    return f"{value:.15g}".encode() if isinstance(value, float) else str(value).encode()


def _seconds(value: bytes) -> float:
    seconds = float(value)
    if not math.isfinite(seconds) or b"_" in value:
        raise ValueError("no plain finite number")
    return seconds


def _whole(value: bytes) -> int:
    if b"_" in value:
        raise ValueError("no plain whole number")
    return int(value)


def _flag(value: bytes) -> bool:
    if value not in (b"0", b"1"):
        raise ValueError("neither 0 nor 1")
    return value == b"1"


_READERS: dict[str, Callable[[bytes], Any]] = {
    "stale_after_seconds": _seconds,
    "beat_seconds": _seconds,
    "max_attempts": _whole,
    "reaping": lambda value: value.decode("ascii"),
    "adopt_orphans": _flag,
    "paused": _flag,
    "managed": _flag,
}

FIELD_NAMES = [field.name for field in fields(Policy) if field.name != "faults"]
"""The fields of `{q}:policy`, in the order of the dataclass."""
FIELD_BYTES = [name.encode() for name in FIELD_NAMES]
