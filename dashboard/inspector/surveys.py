"""What one queue tells of its workers: heartbeats, watches, tombstones, policy, counters, and who holds what.

Owns: the two questions (the survey, then the lengths of the lists it names) and their reading. Refuses: to
judge a heartbeat, and to keep anything between two calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.inspector.members import Members, read_cut, read_whole
from dashboard.inspector.packing import unpacked, unpacked_hash
from dashboard.inspector.reading import Ask, Command, Part, ScriptAsk, is_wrong_type, lua, scored
from dashboard.inspector.rows import due_of, text_of
from dashboard.inspector.stamps import instant
from dashboard.queue.keys import HELD_BACK_COUNT, HELD_BACK_UNTIL, TOMBSTONE, QueueKeys
from dashboard.queue.policy import FIELD_NAMES, Policy

WORKERS_A_CALL = 5_000
"""Heartbeats that one call answers: about two milliseconds of server time. Larger hashes are walked."""

LISTS_A_CALL = 1_000
"""Processing lists that one call measures: under a millisecond of server time."""

STATS_FIELDS = (
    "enqueued", "acked", "dead", "promoted_at", "reaped_at", HELD_BACK_UNTIL, HELD_BACK_COUNT,
)  # fmt: skip
JOB_BYTES = 2_048
"""Of the next and the newest dead job: enough for the members that stand first."""

ERROR_SIGNS = 160
TOMBSTONES_PLAIN = 1_000


@dataclass(frozen=True, slots=True)
class Survey:
    """One queue as it told of itself. `beats` is None when there are more workers than a call answers."""

    worker_count: int
    beats: dict[bytes, bytes] | None
    watches: dict[bytes, bytes]
    tombstones: dict[bytes, bytes]
    policy: Policy
    stats: dict[str, float]
    oldest_pending_at: float | None
    #: due time of the soonest delayed job, None without one; may be infinite
    soonest_due: float | None
    #: first line of the error of the newest dead job, "" when it has none
    newest_error: str
    faults: tuple[str, ...]


def survey_ask(
    q: QueueKeys, defaults: Policy, most_workers: int = WORKERS_A_CALL, *, jobs: bool = True
) -> ScriptAsk[Survey]:
    """Return the question; beats of more than `most_workers` workers are not answered, only their number.

    Without `jobs` nothing is asked about the next, the soonest and the newest dead job.
    """
    keys = (q.heartbeats, q.policy, q.watch, q.workers, q.stats, q.pending, q.delayed, q.dead)
    args: tuple[Part, ...] = (
        most_workers,
        JOB_BYTES if jobs else 0,
        len(FIELD_NAMES),
        *FIELD_NAMES,
        *STATS_FIELDS,
    )

    def read(answer: Any) -> Survey:
        count, beats, watches, graves, policy, stats, (next_length, next_bytes), due, newest = answer
        faults = [
            f"{key} is not a hash"
            for key, packed in zip(("heartbeats", "watch", "workers", "policy", "stats"),
                                   (beats, watches, graves, policy, stats), strict=True)
            if packed == -1
        ]  # fmt: skip
        return Survey(
            max(0, count),
            {} if beats == -1 else unpacked_hash(beats),
            unpacked_hash(watches) or {},
            _named(unpacked_hash(graves) or {}),
            _policy([] if policy == -1 else policy, defaults),
            _stats([] if stats == -1 else stats),
            _enqueued_at(next_bytes, next_length),
            due_of(due or None),
            _error(newest[1], newest[0]),
            tuple(faults),
        )

    return ScriptAsk(lua("survey"), keys, args, read, lambda: _plain(q, defaults))


def lengths_asks(q: QueueKeys, workers: Sequence[bytes]) -> list[ScriptAsk[dict[bytes, int | None]]]:
    """Return the questions how many jobs each of these workers holds; None = the key is no list."""
    return [
        _lengths_ask(q, workers[start : start + LISTS_A_CALL])
        for start in range(0, len(workers), LISTS_A_CALL)
    ]


def hash_part_ask(key: bytes, cursor: bytes, count: int) -> ScriptAsk[tuple[bytes, dict[bytes, bytes]]]:
    """Return the question after one step over a large hash: the next cursor (b"0" = done) and some fields."""

    def read(answer: Any) -> tuple[bytes, dict[bytes, bytes]]:
        texts = unpacked(answer[1], answer[2])
        return bytes(answer[0]), dict(zip(texts[::2], texts[1::2], strict=True))

    def plain() -> Ask[tuple[bytes, dict[bytes, bytes]]]:
        command: Command = ("HSCAN", key, cursor, "COUNT", count)
        return Ask((command,), lambda replies: (b"%d" % int(replies[0][0]), dict(replies[0][1])))

    return ScriptAsk(lua("hash_part"), (key,), (cursor, count), read, plain)


def _lengths_ask(q: QueueKeys, workers: Sequence[bytes]) -> ScriptAsk[dict[bytes, int | None]]:
    keys = tuple(q.processing(worker) for worker in workers)

    def paired(figures: Iterable[int]) -> dict[bytes, int | None]:
        return {worker: None if n < 0 else n for worker, n in zip(workers, figures, strict=True)}

    def plain() -> Ask[dict[bytes, int | None]]:
        commands: tuple[Command, ...] = tuple(("LLEN", key) for key in keys)
        return Ask(commands, lambda replies: paired(-1 if is_wrong_type(n) else n for n in replies))

    return ScriptAsk(lua("lengths"), keys, (), lambda answer: paired(map(int, answer.split(b","))), plain)


def _plain(q: QueueKeys, defaults: Policy) -> Ask[Survey]:
    """Ask with plain commands. The next job is not looked at: without a script it would come whole."""
    commands: tuple[Command, ...] = (
        ("HGETALL", q.heartbeats),
        ("HGETALL", q.watch),
        ("HSCAN", q.workers, 0, "MATCH", TOMBSTONE + b"*", "COUNT", TOMBSTONES_PLAIN),
        ("HMGET", q.policy, *FIELD_NAMES),
        ("HMGET", q.stats, *STATS_FIELDS),
        ("ZRANGE", q.delayed, 0, 0, "WITHSCORES"),
    )

    def read(replies: list[Any]) -> Survey:
        *hashes, soonest = replies
        named = zip(("heartbeats", "watch", "workers", "policy", "stats"), hashes, strict=True)
        faults = [f"{name} is not a hash" for name, reply in named if is_wrong_type(reply)]
        beats, watches, graves, policy, stats = (None if is_wrong_type(reply) else reply for reply in hashes)
        return Survey(
            len(beats or {}),
            dict(beats or {}),
            dict(watches or {}),
            _named(dict(graves[1]) if graves else {}),
            _policy(policy or [], defaults),
            _stats(stats or []),
            None,
            None if is_wrong_type(soonest) or not soonest else due_of(scored(soonest)[0][1]),
            "",
            tuple(faults),
        )

    return Ask(commands, read)


def _named(graves: dict[bytes, bytes]) -> dict[bytes, bytes]:
    return {field[len(TOMBSTONE) :]: record for field, record in graves.items()}


def _policy(values: Sequence[bytes | None], defaults: Policy) -> Policy:
    stored = {name.encode(): value for name, value in zip(FIELD_NAMES, values, strict=False)}
    return Policy.from_hash(stored, defaults)


def _stats(values: Sequence[bytes | None]) -> dict[str, float]:
    found = {name: instant(value) for name, value in zip(STATS_FIELDS, values, strict=False)}
    return {name: figure for name, figure in found.items() if figure is not None}


def _enqueued_at(preview: bytes, length: int) -> float | None:
    return instant(_members(preview, length).texts.get("enqueued_at"))


def _error(preview: bytes, length: int) -> str:
    return text_of(_members(preview, length).texts.get("error"), ERROR_SIGNS).split("\n", 1)[0]


def _members(preview: bytes, length: int) -> Members:
    return read_whole(preview) if length == len(preview) else read_cut(preview)
