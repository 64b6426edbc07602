"""What scripts answer: one enum of codes and one frozen record per kind of answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """The first word of every script's answer."""

    ADOPTED = "adopted"
    ALIVE = "alive"
    BEAT = "beat"
    BURIED = "buried"
    CLAIMED = "claimed"
    DEAD = "dead"
    DELAYED = "delayed"
    DISCARDED = "discarded"
    DUPLICATE = "duplicate"
    ENQUEUED = "enqueued"
    GONE = "gone"
    HOLDING = "holding"
    LOCATED = "located"
    LOST = "lost"
    PAUSED = "paused"
    PEEKED = "peeked"
    PROMOTED = "promoted"
    PURGED = "purged"
    REAPED = "reaped"
    RELEASED = "released"
    REPEATED = "repeated"
    RESCHEDULED = "rescheduled"
    RESTORED = "restored"
    RESUMED = "resumed"
    RETIRED = "retired"
    RETRIED = "retried"
    SAMPLED = "sampled"
    SETTLED = "settled"
    TAKEN = "taken"
    UNREADABLE = "unreadable"
    WATCHED = "watched"


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


@dataclass(frozen=True, slots=True)
class Repeat:
    """The first answer that an act got: when (server seconds), by whom, its code, how many jobs it moved."""

    at: float
    by: str
    code: Code
    count: int

    @classmethod
    def parse(cls, parts: Sequence[bytes]) -> Repeat:
        """Read what was stored. What a newer version or another hand wrote reads as 0 and REPEATED."""
        at, by, code, count = (part.decode("utf-8", "replace") for part in parts)
        known = Code(code) if code in list(Code) else Code.REPEATED
        return cls(_number(at), by, known, int(_number(count)))


@dataclass(frozen=True, slots=True)
class Claimed:
    """CLAIMED with the raws, oldest first; or PAUSED with none."""

    code: Code
    raws: list[bytes]


@dataclass(frozen=True, slots=True)
class Settled:
    """SETTLED or PAUSED.

    `lost` are places in the given raws that were no longer held; `raws` the next claims.
    """

    code: Code
    acked_count: int
    lost: list[int]
    raws: list[bytes]


@dataclass(frozen=True, slots=True)
class Failed:
    """DELAYED with the due time in server seconds, DEAD, or LOST: no longer held."""

    code: Code
    due: float | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """RELEASED. `lost` are places in the given raws that were no longer held."""

    code: Code
    released_count: int
    lost: list[int]


@dataclass(frozen=True, slots=True)
class Beat:
    """BEAT: the server's clock, how many jobs the worker's list holds, and whether the queue is paused."""

    code: Code
    now: float
    held_count: int
    paused: bool


@dataclass(frozen=True, slots=True)
class Retired:
    """RETIRED; HOLDING: jobs are left and the heartbeat stays; ALIVE: another instance took over the name."""

    code: Code
    held_count: int


@dataclass(frozen=True, slots=True)
class Reaped:
    """REAPED with counts; ALIVE, WATCHED, ADOPTED or GONE with `left_count` jobs held; or REPEATED."""

    code: Code
    moved_count: int = 0
    dead_count: int = 0
    left_count: int = 0
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Promoted:
    """PROMOTED with a count and the next due time, GONE, or REPEATED."""

    code: Code
    count: int = 0
    next_due: float | None = None
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Revived:
    """RETRIED with counts of the entries seen, UNREADABLE, GONE, or REPEATED."""

    code: Code
    moved_count: int = 0
    unreadable_count: int = 0
    seen_count: int = 0
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Enqueued:
    """ENQUEUED; `conflicts` are places of jobs whose bytes are delayed already and were not stored."""

    code: Code
    count: int
    conflicts: list[int]


@dataclass(frozen=True, slots=True)
class EnqueuedOnce:
    """ENQUEUED; or nothing was stored: DUPLICATE, another enqueue came first, or DELAYED, as these bytes are.

    `marked` is what stands under the dedup key: ours, or that of the first.
    """

    code: Code
    marked: bytes


@dataclass(frozen=True, slots=True)
class Moved:
    """One job moved or rescheduled under `code`, GONE, or REPEATED.

    `place` is where it went, when that varies.
    """

    code: Code
    place: str = ""
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Discarded:
    """DISCARDED with the id of the trash entry, GONE, ALIVE, or REPEATED."""

    code: Code
    trash_id: str = ""
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Purged:
    """PURGED with counts, or REPEATED."""

    code: Code
    count: int = 0
    left_count: int = 0
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Switched:
    """PAUSED or RESUMED; `changed` is False when it was so already. Or REPEATED."""

    code: Code
    changed: bool = False
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """SAMPLED, and to how many of the streams an entry was added: 0 where each bucket had its own."""

    code: Code
    count: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list or sorted set, as a page shows it.

    `hint`: index from the right end of a list, or rank in a sorted set. `length`: bytes in all, -1
    where it was not looked at because the page was already large. `preview`: its first bytes. `score`:
    the text that Redis gave, "nan" where it was not looked at.
    """

    hint: int
    length: int
    preview: bytes
    digest: str
    score: bytes | None = None


@dataclass(frozen=True, slots=True)
class Peeked:
    """The entries of one page and the length of the whole list at that instant."""

    total_count: int
    entries: list[Entry]
