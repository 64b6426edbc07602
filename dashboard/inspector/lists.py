"""Pages of the four lists of a queue.

Owns: which entries a page shows and in which order, and their rows. Refuses: to read by itself; it hands out
questions and puts the answers together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.inspector.judging import Seen
from dashboard.inspector.peeks import Peek, peek_ask
from dashboard.inspector.positions import Span, is_beyond, page_of, position, span_of
from dashboard.inspector.queue_desk import Facts
from dashboard.inspector.reading import ScriptAsk
from dashboard.inspector.rows import row_of
from dashboard.inspector.snapshots import JobList, JobRow
from dashboard.queue.keys import QueueKeys

PLACES = ("pending", "processing", "delayed", "dead")


@dataclass(frozen=True, slots=True)
class ListAsk:
    """A page that is wanted: where, from which position, how many rows."""

    place: str
    at: int
    size: int
    preview_bytes: int

    @classmethod
    def of(cls, place: str, page: str, size: int, preview_bytes: int) -> ListAsk:
        """Return the wish for a page token; one that means nothing is the start."""
        if place not in PLACES:
            raise ValueError(f"no place of jobs is called {place!r}")
        return cls(place, position(page), size, preview_bytes)

    def asks(self, q: QueueKeys) -> list[ScriptAsk[Peek]]:
        """Return the questions: the page, and on older pages of dead its newest entry as well."""
        span = span_of(self.place, self.at, self.size)
        key = {"pending": q.pending, "delayed": q.delayed, "dead": q.dead}[self.place]
        asks = [peek_ask(key, span.start, span.stop, self.preview_bytes, zset=self.place == "delayed")]
        if self.place == "dead" and self.at:
            asks.append(peek_ask(key, 0, 0, 0))
        return asks

    def is_beyond(self, answers: Sequence[Peek]) -> bool:
        """Tell whether the list became too short for this page, so that the start is to be read instead."""
        return is_beyond(self.place, self.at, answers[0].total_count)

    def joblist(self, facts: Facts, answers: Sequence[Peek]) -> JobList:
        """Return the page."""
        peek = answers[0]
        newest = answers[-1].entries[0].digest if self.place == "dead" and answers[-1].entries else ""
        entries = peek.entries[::-1] if span_of(self.place, self.at, self.size).reverse else peek.entries
        return JobList(
            now=facts.now,
            queue=facts.summary,
            place=self.place,
            rows=tuple(row_of(self.place, entry, now=facts.now) for entry in entries),
            total_count=peek.total_count,
            page=page_of(self.place, self.at, self.size, peek.total_count, len(entries)),
            newest_digest=newest,
            key_fault=peek.fault,
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of one worker's list on a page of processing."""

    worker: bytes
    span: Span


def processing_slices(workers: Sequence[Seen], at: int, size: int) -> tuple[list[Slice], int]:
    """Return which parts of whose lists make up a page, and how many jobs there are.

    Workers come by name, so that beats change nothing; within a list the oldest job comes first.
    """
    slices: list[Slice] = []
    total = 0
    for seen in sorted(workers, key=lambda worker: worker.name):
        held = seen.held or 0
        first, last = max(at - total, 0), min(at + size - total, held)
        if first < last:
            slices.append(Slice(seen.name, Span(-last, -first - 1, True)))
        total += held
    return slices, total


def processing_asks(q: QueueKeys, slices: Sequence[Slice], preview_bytes: int) -> list[ScriptAsk[Peek]]:
    """Return the questions after those parts."""
    return [
        peek_ask(q.processing(part.worker), part.span.start, part.span.stop, preview_bytes) for part in slices
    ]


def processing_list(
    facts: Facts, wish: ListAsk, slices: Sequence[Slice], total: int, answers: Sequence[Peek]
) -> JobList:
    """Return a page of processing."""
    rows: list[JobRow] = []
    for part, peek in zip(slices, answers, strict=True):
        rows += (
            row_of("processing", entry, now=facts.now, worker=part.worker) for entry in reversed(peek.entries)
        )
    return JobList(
        now=facts.now,
        queue=facts.summary,
        place="processing",
        rows=tuple(rows),
        total_count=total,
        page=page_of("processing", wish.at, wish.size, total, len(rows)),
        newest_digest="",
        key_fault=next((peek.fault for peek in answers if peek.fault), ""),
    )
