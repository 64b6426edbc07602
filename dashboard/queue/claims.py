"""What a worker holds, when a reply was lost: which copies are still its own, and what to do with them.

Owns: the arithmetic of copies. Equal bytes may exist several times, so that everything is counted, never
looked up. Refuses: Redis; `ClaimLine` reads the list, with no claim outstanding, and asks here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The answer for a settle in doubt: `acks` to remove now, `todo` to run, oldest first."""

    acks: list[bytes]
    todo: list[bytes]


def still_held(listed: Sequence[bytes], hand: Sequence[bytes], part: Sequence[bytes]) -> list[bytes]:
    """Return those of `part` that are still to be acknowledged, failed or released.

    `listed` is the worker's list, `hand` all copies in its hands, `part` the ones of these that a command of
    unknown outcome was about. A copy that the list lacks is one for which it happened.
    """
    missing = Counter(hand)
    missing.subtract(listed)
    remaining = []
    for raw in part:
        if missing[raw] > 0:
            missing[raw] -= 1
        else:
            remaining.append(raw)
    return remaining


def without(listed: Sequence[bytes], removed: Sequence[bytes]) -> list[bytes]:
    """Return `listed` less one copy for each of `removed`, in its order."""
    left = Counter(removed)
    kept = []
    for raw in listed:
        if left[raw] > 0:
            left[raw] -= 1
        else:
            kept.append(raw)
    return kept


def reconcile(
    listed: Sequence[bytes],
    stored_call: int | None,
    call: int,
    done: Sequence[bytes],
    rest: Sequence[bytes],
    remembered: Sequence[bytes] = (),
) -> Reconciled:
    """Decide what became of settle number `call`, which acknowledged `done` while `rest` waited in the batch.

    `listed` is the worker's list, oldest first; `stored_call` the number of the last settle that happened,
    None when Redis forgot it; `remembered` what later calls than that had acknowledged before Redis forgot
    them. It happened: everything listed waits to be run. It did not: the finished copies are acknowledged, of
    what stands beyond the copies in hand the remembered ones too, and everything else runs. No number:
    everything runs, since a second run is allowed and a lost job is not.
    """
    if stored_call is None or stored_call >= call:
        return Reconciled([], list(listed))
    hand = [*done, *rest]
    acks = still_held(listed, hand, done) + in_both(remembered, without(listed, hand))
    return Reconciled(acks, without(listed, acks))


def in_both(wanted: Sequence[bytes], present: Sequence[bytes]) -> list[bytes]:
    """Return those of `wanted` that `present` has a copy for, each copy of it standing for one."""
    left = Counter(present)
    found = []
    for raw in wanted:
        if left[raw] > 0:
            left[raw] -= 1
            found.append(raw)
    return found


def call_number(stored: bytes | None) -> int | None:
    """Return the number in a settle record, "call at", or None when there is none."""
    first = (stored or b"").split(b" ", 1)[0]
    return int(first) if first.isdigit() else None
