"""Pages of lists and sorted sets as the library's own script cuts them, and one exact entry.

Owns: putting those scripts into a batch, and the same with plain commands where scripts are denied. Refuses:
to make rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.inspector.reading import Ask, Command, ScriptAsk, is_wrong_type, scored
from dashboard.inspector.visible import visible_bytes
from dashboard.queue import lua_source
from dashboard.queue.address import Address
from dashboard.queue.answers import Entry
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys

NEAR = 128
"""Entries around the hint that a plain look for an exact entry takes, as the script does."""


@dataclass(frozen=True, slots=True)
class Peek:
    """One page. `fault` says why the key cannot be read; `total_count` is 0 then."""

    total_count: int
    entries: tuple[Entry, ...]
    fault: str = ""


def key_of(q: QueueKeys, address: Address) -> bytes:
    """Return the key that an address is about."""
    if address.place == "processing":
        return q.processing(address.worker or b"")
    return {"pending": q.pending, "delayed": q.delayed, "dead": q.dead}[address.place]


def peek_ask(key: bytes, start: int, stop: int, preview_bytes: int, *, zset: bool = False) -> ScriptAsk[Peek]:
    """Return the question after a page: indexes as for LRANGE or ZRANGE; `zset`: what the key should be."""

    def read(answer: Any) -> Peek:
        if answer[0] == b"wrongtype":
            return Peek(0, (), fault_of(key, zset))
        total, rows = answer[1], answer[2:]
        if zset != any(row[3] for row in rows) and rows:
            return Peek(0, (), fault_of(key, zset))
        entries = []
        for index, (length, preview, sign, score) in enumerate(rows, first_index(start, total)):
            hint = index if zset else total - 1 - index
            entries.append(Entry(hint, length, preview, sign.decode(), score or None))
        return Peek(total, tuple(entries))

    return ScriptAsk(
        lua_source.load("peek"), (key,), (start, stop, preview_bytes), read,
        lambda: _plain_peek(key, start, stop, preview_bytes, zset),
    )  # fmt: skip


def locate_ask(q: QueueKeys, address: Address, most_bytes: int) -> ScriptAsk[Entry | None]:
    """Return the question where one entry stands now, with up to `most_bytes` of it; None = not near."""
    key = key_of(q, address)
    score = (address.score or b"") if address.place == "delayed" else b""

    def read(answer: Any) -> Entry | None:
        if answer[0] != b"located":
            return None
        return Entry(answer[1], answer[2], answer[3], address.digest, answer[4] or None)

    args = (address.length, address.digest, address.hint, score, most_bytes)
    return ScriptAsk(
        lua_source.load("locate"), (key,), args, read, lambda: _plain_locate(key, address, most_bytes)
    )


def first_index(start: int, total: int) -> int:
    """Return the index that a start, negative from the end, means in a list of this length."""
    return max(0, total + start) if start < 0 else start


def fault_of(key: bytes, zset: bool) -> str:
    """Return the sentence about a key that is not what its name says."""
    return f"{visible_bytes(key)} is not a {'sorted set' if zset else 'list'}. Nothing in it was touched."


def _plain_peek(key: bytes, start: int, stop: int, preview_bytes: int, zset: bool) -> Ask[Peek]:
    commands: tuple[Command, ...] = (
        (("ZCARD", key), ("ZRANGE", key, start, stop, "WITHSCORES"))
        if zset
        else (("LLEN", key), ("LRANGE", key, start, stop))
    )

    def read(replies: list[Any]) -> Peek:
        total, rows = replies
        if is_wrong_type(total) or is_wrong_type(rows):
            return Peek(0, (), fault_of(key, zset))
        return Peek(total, tuple(_plain_entries(rows, first_index(start, total), total, preview_bytes, zset)))

    return Ask(commands, read)


def _plain_entries(
    rows: Sequence[Any], first: int, total: int, preview_bytes: int, zset: bool
) -> list[Entry]:
    entries = []
    pairs = scored(rows) if zset else [(raw, None) for raw in rows]
    for index, (raw, score) in enumerate(pairs, first):
        hint = index if zset else total - 1 - index
        entries.append(Entry(hint, len(raw), raw[:preview_bytes], digest(raw), score))
    return entries


def _plain_locate(key: bytes, address: Address, most_bytes: int) -> Ask[Entry | None]:
    zset = address.place == "delayed"
    if zset:
        score = (address.score or b"0").decode()
        command: Command = ("ZRANGEBYSCORE", key, score, score, "WITHSCORES", "LIMIT", 0, 2 * NEAR)
    else:
        command = ("LRANGE", key, -address.hint - 1 - NEAR, min(-1, -address.hint - 1 + NEAR))

    def read(replies: list[Any]) -> Entry | None:
        if is_wrong_type(replies[0]):
            return None
        raws = [raw for raw, _ in scored(replies[0])] if zset else list(reversed(replies[0]))
        nearest = address.hint if zset else max(0, address.hint - NEAR)
        for offset, raw in enumerate(raws):
            if len(raw) == address.length and digest(raw) == address.digest:
                hint = nearest if zset else nearest + offset
                return Entry(hint, len(raw), raw[:most_bytes], address.digest, address.score)
        return None

    return Ask((command,), read)
