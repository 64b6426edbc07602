"""The jobs of one claim: read, and parted when a crash of one must not cost the others.

Owns: what is read of their bytes and which of them stay together. Refuses: Redis; whoever claimed them gives
back what is not to stay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.queue.errors import UnreadableJob
from dashboard.queue.job import Job, decode

Entry = tuple[bytes, Job | str]
"""A claimed job: its bytes, and what they decode to or why they do not."""


@dataclass(frozen=True, slots=True)
class Parted:
    """A batch of which `kept` runs now; `given_back` is claimed again, one by one if `has_suspects`."""

    kept: deque[Entry]
    given_back: list[bytes]
    has_suspects: bool
    runs_suspect: bool
    """The first to run has failed or crashed before, and runs alone for it."""


def decoded(raws: Sequence[bytes], queue: bytes) -> deque[Entry]:
    """Return claimed jobs of a queue, read as far as they can be."""
    entries: deque[Entry] = deque()
    for raw in raws:
        try:
            job = decode(raw)
        except UnreadableJob as error:
            entries.append((raw, str(error)))
        else:
            job.queue = queue
            entries.append((raw, job))
    return entries


def parted(batch: deque[Entry]) -> Parted:
    """Part the jobs that failed or crashed before from those that did not.

    A crash costs every job of the batch an attempt. So the oldest, when it is a suspect, runs alone, and no
    suspect stays in the batch of others.
    """
    if len(batch) == 1:
        is_suspect = _is_suspect(batch[0][1])
        return Parted(batch, [], is_suspect, is_suspect)
    suspects = [_is_suspect(job) for _, job in batch]
    has_suspects = any(suspects)
    suspect_first = bool(suspects) and suspects[0]
    if len(batch) < 2 or not has_suspects:
        return Parted(batch, [], has_suspects, suspect_first)
    kept: deque[Entry] = deque()
    given_back = []
    for place, entry in enumerate(batch):
        if place == 0 if suspect_first else not suspects[place]:
            kept.append(entry)
        else:
            given_back.append(entry[0])
    return Parted(kept, given_back, has_suspects, suspect_first)


def _is_suspect(job: Job | str) -> bool:
    return isinstance(job, Job) and job.attempts > 0
