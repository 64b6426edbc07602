"""Pages about workers: all or one queue's, and what reaping them would move.

Owns: choosing rows and reading them fresh. Refuses: to reap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.inspector.collector import Collector
from dashboard.inspector.discovery import Discovery
from dashboard.inspector.holders import Holder, holders_asks
from dashboard.inspector.judging import Seen, counts_of
from dashboard.inspector.passes import Pass
from dashboard.inspector.peeks import Peek, peek_ask
from dashboard.inspector.queue_desk import Facts, QueueDesk
from dashboard.inspector.reading import Reader, ScriptAsk
from dashboard.inspector.reap_preview import JOB_BYTES, JOBS_SHOWN, preview_jobs
from dashboard.inspector.snapshots import ReapPreview, StalePreview, WorkerCounts, WorkerRow, Workers
from dashboard.inspector.workers import Listed, fresh_row, in_order, listed, page_at, stopped, thresholds
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import State
from dashboard.queue.policy import Policy

ROWS_A_TRIP = 200
"""Workers that a preview of reaping all lists one by one, and that one round trip reads fresh."""


@dataclass(frozen=True, slots=True)
class Roster:
    """All workers of one pass or of one queue, in order, and the figures about all of them."""

    everybody: tuple[Listed, ...]
    at: float
    counts: WorkerCounts
    stopped_count: int
    thresholds: tuple[float, float]

    @classmethod
    def of(cls, workers: Iterable[Listed], at: float, defaults: Policy) -> Roster:
        """Put workers in order and count them."""
        everybody = in_order(workers)
        return cls(
            tuple(everybody),
            at,
            counts_of((one.seen for one in everybody), at),
            sum(one.seen.state is State.STOPPED for one in everybody),
            thresholds(everybody, defaults),
        )


@dataclass(slots=True)
class WorkersDesk:
    """Reads worker rows."""

    reader: Reader
    discovery: Discovery
    collector: Collector
    desk: QueueDesk
    defaults: Policy
    _roster: tuple[Pass, Roster] | None = field(default=None)

    def page(self, queue: bytes | None, state: str, page: str, size: int) -> Workers:
        """Return a page of workers. Raises QueueNotFound and ServerError."""
        latest = self.collector.latest()
        if queue is not None:
            facts, _ = self.desk.read(queue, latest, [], workers=True)
            workers, _ = self.of_facts(facts, state, page, size, [])
            return replace(workers, summary=facts.summary)
        return self._page(self._everybody(latest), None, state, page, size, [])[0]

    def of_facts(
        self, facts: Facts, state: str, page: str, size: int, extra: Sequence[ScriptAsk[Peek]]
    ) -> tuple[Workers, list[Any]]:
        """Return a page of the workers of a queue that was read, and the answers to `extra`, in one trip."""
        managed = facts.summary.managed
        found = listed(facts.q, facts.policy, managed, facts.workers, facts.tombstones)
        roster = Roster.of(found, facts.summary.workers.at or facts.now, self.defaults)
        return self._page(roster, facts.q.queue, state, page, size, extra, beats=not facts.fresh)

    def reap_preview(self, name: bytes, worker: bytes) -> ReapPreview:
        """Return what reaping one worker would move, oldest job first."""
        q = QueueKeys.found(name)
        peek = peek_ask(q.processing(worker), -JOBS_SHOWN, -1, JOB_BYTES)
        holder = holders_asks([(q, worker)], self.reader)
        facts, answers = self.desk.read(name, self.collector.latest(), [peek, *holder], workers=False)
        seen = seen_of(facts.workers, worker)
        row = fresh_row(Listed(q, facts.policy, facts.summary.managed, seen, None), answers[1][0], facts.now)
        jobs = preview_jobs(answers[0], worker, facts.policy, facts.now)
        return ReapPreview(
            now=facts.now,
            queue=facts.summary,
            worker=row,
            jobs=jobs,
            shown_count=len(jobs),
            total_count=answers[0].total_count,
            key_fault=answers[0].fault,
        )

    def stale_preview(self, queue: bytes | None) -> StalePreview:
        """Return whom a reap of all would be about: stale workers and orphan lists that hold jobs."""
        reapable = self._reapable(queue)
        rows, _ = self._rows(reapable[:ROWS_A_TRIP], [])
        return StalePreview(
            now=self.reader.clock.now(),
            queue=queue,
            rows=rows,
            shown_count=len(rows),
            total_count=len(reapable),
            held_total=sum(one.seen.held or 0 for one in reapable),
        )

    def reapable(self, queue: bytes | None, most: int) -> list[WorkerRow]:
        """Return up to `most` of those that `stale_preview` is about, all of one look at who is silent."""
        reapable = self._reapable(queue)
        rows: list[WorkerRow] = []
        for start in range(0, min(most, len(reapable)), ROWS_A_TRIP):
            rows += self._rows(reapable[start : min(most, start + ROWS_A_TRIP)], [])[0]
        return rows

    def _reapable(self, queue: bytes | None) -> list[Listed]:
        latest = self.collector.latest()
        if queue is None:
            everybody: Sequence[Listed] = self._everybody(latest).everybody
        else:
            facts, _ = self.desk.read(queue, latest, [], workers=True)
            everybody = in_order(listed(facts.q, facts.policy, facts.summary.managed, facts.workers, {}))
        return [
            one for one in everybody if one.seen.can_reap and one.seen.state in (State.STALE, State.ORPHAN)
        ]

    def _everybody(self, latest: Pass) -> Roster:
        """Return all workers; put in order once for each pass."""
        if self._roster is None or self._roster[0] is not latest:
            found: list[Listed] = []
            for name, passed in latest.queues.items():
                managed = passed.policy.managed or name in self.discovery.named
                q = QueueKeys.found(name)
                found += listed(q, passed.policy, managed, passed.workers, passed.tombstones)
            self._roster = (latest, Roster.of(found, latest.at, self.defaults))
        return self._roster[1]

    def _page(
        self,
        roster: Roster,
        queue: bytes | None,
        state: str,
        page: str,
        size: int,
        extra: Sequence[ScriptAsk[Peek]],
        *,
        beats: bool = True,
    ) -> tuple[Workers, list[Any]]:
        wanted = [one for one in roster.everybody if one.seen.state == state] if state else roster.everybody
        start, where = page_at(page, size, len(wanted))
        rows, answers = self._rows(wanted[start : start + size], extra, beats=beats)
        workers = Workers(
            now=roster.at,
            queue=queue,
            state=state,
            rows=rows,
            counts=roster.counts,
            stopped_count=roster.stopped_count,
            total_count=len(wanted),
            page=where,
            stale_after_seconds=roster.thresholds,
        )
        return workers, answers

    def _rows(
        self, chosen: Sequence[Listed], extra: Sequence[ScriptAsk[Peek]], *, beats: bool = True
    ) -> tuple[tuple[WorkerRow, ...], list[Any]]:
        wanted = [(one.q, one.seen.name) for one in chosen]
        asks = holders_asks(wanted, self.reader, beats=beats) if chosen else []
        if not asks and not extra:
            return (), []
        answers = self.reader.all([*asks, *extra])
        holders: list[Holder] = [holder for part in answers[: len(asks)] for holder in part]
        now = self.reader.clock.now()
        rows = tuple(
            fresh_row(one, holder, now, beat=beats) for one, holder in zip(chosen, holders, strict=True)
        )
        return rows, answers[len(asks) :]


def seen_of(workers: Sequence[Seen], name: bytes) -> Seen:
    """Return one worker of a pass, or what is said of one that is not there."""
    return next((one for one in workers if one.name == name), stopped(name))
