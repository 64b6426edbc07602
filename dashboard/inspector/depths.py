"""Depths of many queues at one instant, by one read-only script for up to 500 of them.

Owns: the question and its reading, with and without scripts. Refuses: sums over workers, which are the
collector's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.inspector.reading import (
    Ask,
    Command,
    Reader,
    ScriptAsk,
    ServerClock,
    lua,
    number_or_none,
)
from dashboard.queue.keys import QueueKeys
from dashboard.queue.permissions import is_closed_key

QUEUES_A_CALL = 500
"""Queues that one call answers: 2,000 commands, about a millisecond of server time."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lengths of one queue; None: a key of another type, or (`worker_count`) a figure that was not asked."""

    pending: int | None
    delayed: int | None
    overdue: int | None
    dead: int | None
    worker_count: int | None


@dataclass(frozen=True, slots=True)
class DepthsAt:
    """Lengths by queue, and the server's instant that they are of. Without queues closed to this user."""

    now: float
    lengths: dict[bytes, Lengths]


def depth_asks(queues: Sequence[QueueKeys], reader: Reader) -> list[ScriptAsk[DepthsAt]]:
    """Return the questions after the depths of these queues: one per 500, on a cluster one per queue."""
    size = 1 if reader.is_cluster else QUEUES_A_CALL
    return [_ask(queues[start : start + size], reader) for start in range(0, len(queues), size)]


def joined(parts: Sequence[DepthsAt], now: float = 0.0) -> DepthsAt:
    """Put the answers of several calls together; the instant is the first one's, `now` when there is none."""
    lengths: dict[bytes, Lengths] = {}
    for part in parts:
        lengths.update(part.lengths)
    return DepthsAt(parts[0].now if parts else now, lengths)


def _ask(queues: Sequence[QueueKeys], reader: Reader) -> ScriptAsk[DepthsAt]:
    keys = tuple(key for q in queues for key in (q.pending, q.delayed, q.dead, q.heartbeats))

    def read(answer: Any) -> DepthsAt:
        groups = answer[1].split(b";") if answer[1] else []
        reader.clock.set(float(answer[0]))
        return DepthsAt(
            float(answer[0]), {q.queue: _lengths(group) for q, group in zip(queues, groups, strict=True)}
        )

    return ScriptAsk(lua("depths"), keys, ("",), read, lambda: _plain(queues, reader.clock))


def _lengths(group: bytes) -> Lengths:
    pending, delayed, overdue, dead, workers = (
        None if figure < 0 else figure for figure in map(int, group.split(b","))
    )
    return Lengths(pending, delayed, overdue, dead, workers)


def _plain(queues: Sequence[QueueKeys], clock: ServerClock) -> Ask[DepthsAt]:
    """Ask without a script. Overdue is counted by the server's clock as it was last known, carried on.

    A user who may only read may not ask the time either; this machine's clock stands in then.
    """
    commands: list[Command] = [("TIME",)]
    for q in queues:
        commands += [
            ("LLEN", q.pending),
            ("ZCARD", q.delayed),
            ("ZCOUNT", q.delayed, "-inf", repr(clock.now())),
            ("LLEN", q.dead),
        ]

    def read(replies: list[Any]) -> DepthsAt:
        if not isinstance(replies[0], Exception):
            clock.set(seconds(replies[0]))
        lengths = {}
        for at, q in enumerate(queues):
            told = replies[1 + at * 4 : 5 + at * 4]
            if not all(map(is_closed_key, told)):
                pending, delayed, overdue, dead = map(number_or_none, told)
                lengths[q.queue] = Lengths(pending, delayed, overdue, dead, None)
        return DepthsAt(clock.now(), lengths)

    return Ask(tuple(commands), read, tolerant=True)


def seconds(time_reply: Any) -> float:
    """Return TIME's answer as unix seconds."""
    whole, micro = time_reply
    return float(whole) + float(micro) / 1_000_000
