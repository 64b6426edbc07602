"""Depths of many queues at one instant, by one read-only script for up to 500 of them.

Owns: the question and its reading, with and without scripts. Refuses: sums over workers, which are the
collector's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.inspector.reading import Ask, Command, Reader, ScriptAsk, lua, number_or_none
from dashboard.queue.keys import QueueKeys

QUEUES_A_CALL = 500
"""Queues that one call answers: 2,000 commands, about a millisecond of server time."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lengths of one queue; None means a key of another type. `worker_count` is None where it was not asked."""

    pending: int | None
    delayed: int | None
    overdue: int | None
    dead: int | None
    worker_count: int | None


@dataclass(frozen=True, slots=True)
class DepthsAt:
    """Lengths by queue, and the server's instant that they are of."""

    now: float
    lengths: dict[bytes, Lengths]


def depth_asks(queues: Sequence[QueueKeys], reader: Reader) -> list[ScriptAsk[DepthsAt]]:
    """Return the questions after the depths of these queues: one per 500, on a cluster one per queue."""
    size = 1 if reader.is_cluster else QUEUES_A_CALL
    return [_ask(queues[start : start + size]) for start in range(0, len(queues), size)]


def joined(parts: Sequence[DepthsAt], now: float = 0.0) -> DepthsAt:
    """Put the answers of several calls together; the instant is the first one's, or `now` when there is none."""
    lengths: dict[bytes, Lengths] = {}
    for part in parts:
        lengths.update(part.lengths)
    return DepthsAt(parts[0].now if parts else now, lengths)


def _ask(queues: Sequence[QueueKeys]) -> ScriptAsk[DepthsAt]:
    keys = tuple(key for q in queues for key in (q.pending, q.delayed, q.dead, q.heartbeats))

    def read(answer: Any) -> DepthsAt:
        groups = answer[1].split(b";") if answer[1] else []
        return DepthsAt(
            float(answer[0]), {q.queue: _lengths(group) for q, group in zip(queues, groups, strict=True)}
        )

    return ScriptAsk(lua("depths"), keys, ("",), read, lambda: _plain(queues))


def _lengths(group: bytes) -> Lengths:
    pending, delayed, overdue, dead, workers = (
        None if figure < 0 else figure for figure in map(int, group.split(b","))
    )
    return Lengths(pending, delayed, overdue, dead, workers)


def _plain(queues: Sequence[QueueKeys]) -> Ask[DepthsAt]:
    """Ask without a script. Overdue is counted against the time of the same batch by its range of scores."""
    commands: list[Command] = [("TIME",)]
    for q in queues:
        commands += [("LLEN", q.pending), ("ZCARD", q.delayed), ("LLEN", q.dead)]
        commands.append(("ZRANGEBYSCORE", q.delayed, "-inf", "+inf", "WITHSCORES", "LIMIT", 0, 1))

    def read(replies: list[Any]) -> DepthsAt:
        now = seconds(replies[0])
        lengths = {}
        for at, q in enumerate(queues):
            pending, delayed, dead, first = replies[1 + at * 4 : 5 + at * 4]
            lengths[q.queue] = Lengths(
                number_or_none(pending),
                number_or_none(delayed),
                _overdue_at_least(first, now),
                number_or_none(dead),
                None,
            )
        return DepthsAt(now, lengths)

    return Ask(tuple(commands), read)


def _overdue_at_least(first: Any, now: float) -> int | None:
    """Return 1 when the soonest job is overdue: without a script the server's clock is not known beforehand."""
    if isinstance(first, Exception):
        return None
    return int(bool(first) and float(first[0][1]) <= now)


def seconds(time_reply: Any) -> float:
    """Return TIME's answer as unix seconds."""
    whole, micro = time_reply
    return float(whole) + float(micro) / 1_000_000
