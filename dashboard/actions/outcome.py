"""What an act did, in numbers that a screen or a command can say.

Owns: the outcome of a whole act and the answers of its parts. Refuses: to make sentences of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.queue.address import Address
from dashboard.queue.answers import Code, Repeat


@dataclass(frozen=True, slots=True)
class Answer:
    """What happened to one entry: moved, gone, unreadable, alive or repeated."""

    address: Address
    code: Code
    trash_id: str = ""
    """Where a discarded entry lies in the trash."""
    repeat: Repeat | None = None
    """The first answer, when this act id was answered before."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a reap did to one worker. `code` is that of its last call."""

    queue: bytes
    worker: bytes
    code: Code
    moved_count: int = 0
    dead_count: int = 0
    left_count: int = 0
    """Jobs still in its list: the act was interrupted, or the worker came back."""
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an act did. Counts are of jobs; `gone_count` and `alive_count` of a reap are of workers.

    `moved_count` went where the verb says (pending, the trash, back from it). `dead_count` went to dead by a
    reap. `gone_count` were not where they had been seen. `unreadable_count` stay where they are, since their
    counter cannot be read. `alive_count` belong to a worker that lives and stay with it. `repeated` is the
    first answer where this act had been done before, `repeated_count` how many of its parts had.
    `left_count` is what the act was to move and did not. `newer_count` arrived later and was left out.
    """

    verb: str
    queue: bytes | None
    moved_count: int = 0
    dead_count: int = 0
    gone_count: int = 0
    unreadable_count: int = 0
    alive_count: int = 0
    repeated: Repeat | None = None
    repeated_count: int = 0
    trash_ids: tuple[str, ...] = ()
    left_count: int = 0
    newer_count: int = 0
    place: str = ""
    """Where a restored job went."""
    answers: tuple[Answer, ...] = ()
    """One for each entry of a retry, discard or promotion, in the order in which they were given."""
    receipts: tuple[Receipt, ...] = ()
    """One for each worker of a reap."""
    elapsed_seconds: float = 0.0
