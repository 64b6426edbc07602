"""Everything that a page or a command may ask, in at most three round trips each.

Owns: the rooms' wiring and one method for each page. Refuses: to change a job, and to talk to anybody before
the first question.
"""

from __future__ import annotations

from collections.abc import Sequence

import redis

from dashboard.inspector.collector import Collector
from dashboard.inspector.discovery import Discovery
from dashboard.inspector.findings import queue_findings, ranked
from dashboard.inspector.health import HealthDesk
from dashboard.inspector.job_view import JobDesk
from dashboard.inspector.judging import notable
from dashboard.inspector.lists import (
    PLACES,
    ListAsk,
    processing_asks,
    processing_list,
    processing_slices,
)
from dashboard.inspector.overview import OverviewDesk
from dashboard.inspector.passes import Surveyor
from dashboard.inspector.permission_desk import PermissionDesk
from dashboard.inspector.queue_desk import QueueDesk
from dashboard.inspector.reading import Reader
from dashboard.inspector.rows import PREVIEW_BYTES
from dashboard.inspector.snapshots import (
    JobList,
    JobView,
    Overview,
    QueueView,
    ReapPreview,
    Shell,
    StalePreview,
    TrashList,
    WorkerRow,
    Workers,
)
from dashboard.inspector.trash import start_of, trash_ask, trash_list
from dashboard.inspector.workers_desk import WorkersDesk
from dashboard.queue.address import Address
from dashboard.queue.keys import QueueKeys, as_bytes
from dashboard.queue.policy import Policy

PAGE_SIZE = 50
QUEUE_PAGE_ROWS = 10
"""Rows of each list on a queue's own page."""


class Inspector:
    """Reads for one console process; safe to share between threads.

    `queues` are the names given in settings: they are shown even when they are empty, and count as managed.
    `collect_every_seconds` is for tests and benches; by default passes come every half to two seconds.
    Methods raise QueueNotFound for an unknown queue, ServerAway and ServerRefused.
    """

    def __init__(
        self,
        client: redis.Redis,
        *,
        defaults: Policy | None = None,
        queues: Sequence[bytes | str] = (),
        server_label: str = "",
        page_size: int = PAGE_SIZE,
        preview_bytes: int = PREVIEW_BYTES,
        collect_every_seconds: float | None = None,
    ) -> None:
        defaults = defaults or Policy()
        self._reader = reader = Reader(client)
        self._discovery = Discovery(reader, tuple(as_bytes(name) for name in queues))
        self._health = HealthDesk(reader)
        surveyor = Surveyor(reader, self._discovery, defaults, self._health)
        permissions = PermissionDesk(reader, self._discovery)
        self._collector = Collector(surveyor, collect_every_seconds, permissions.look)
        self._desk = QueueDesk(reader, self._discovery, surveyor.watches, defaults)
        self._overview = OverviewDesk(
            reader, self._discovery, self._collector, self._health, permissions, defaults
        )
        self._workers = WorkersDesk(reader, self._discovery, self._collector, self._desk, defaults)
        self._jobs = JobDesk(self._desk)
        self._server_label = server_label
        self._page_size = page_size
        self._preview_bytes = preview_bytes

    def overview(self) -> Overview:
        """Return all queues and what needs somebody."""
        return self._overview.overview()

    def shell(self) -> Shell:
        """Return what stands around each page, at most two seconds old."""
        return self._overview.shell(self._server_label)

    def workers(self, queue: bytes | None = None, state: str = "", page: str = "") -> Workers:
        """Return a page of workers of all queues or of one, of all states or of one."""
        return self._workers.page(queue, state, page, self._page_size)

    def queue(self, name: bytes) -> QueueView:
        """Return a queue with the first rows of each list and its workers."""
        latest = self._collector.latest()
        q = QueueKeys.found(name)
        wishes = [
            ListAsk.of(place, "", QUEUE_PAGE_ROWS, self._preview_bytes)
            for place in PLACES
            if place != "processing"
        ]
        asks = [wish.asks(q)[0] for wish in wishes]
        facts, answers = self._desk.read(name, latest, asks, workers=True)
        slices, total = processing_slices(facts.workers, 0, QUEUE_PAGE_ROWS)
        held_asks = processing_asks(q, slices, self._preview_bytes)
        workers, held = self._workers.of_facts(facts, "", "", QUEUE_PAGE_ROWS, held_asks)
        wish = ListAsk.of("processing", "", QUEUE_PAGE_ROWS, self._preview_bytes)
        lists = {"processing": processing_list(facts, wish, slices, total, held)}
        for one, peek in zip(wishes, answers, strict=True):
            lists[one.place] = one.joblist(facts, [peek])
        found = queue_findings(facts.summary, notable(facts.workers), latest.queues.get(name), facts.now)
        return QueueView(
            now=facts.now,
            summary=facts.summary,
            lists={place: lists[place] for place in PLACES},
            workers=workers,
            findings=ranked(found),
        )

    def jobs(self, name: bytes, place: str, page: str = "") -> JobList:
        """Return a page of one list. `place` is pending, processing, delayed or dead (else ValueError)."""
        wish = ListAsk.of(place, page, self._page_size, self._preview_bytes)
        if place == "processing":
            return self._processing(name, wish)
        latest = self._collector.latest()
        q = QueueKeys.found(name)
        facts, answers = self._desk.read(name, latest, wish.asks(q), workers=False)
        if wish.is_beyond(answers):
            wish = ListAsk.of(place, "", self._page_size, self._preview_bytes)
            answers = self._reader.all(wish.asks(q))
        return wish.joblist(facts, answers)

    def job(self, name: bytes, address: Address | None = None, id_text: str = "") -> JobView:
        """Return a job's page: where its address says, else by its bytes or id, else what became of it."""
        return self._jobs.view(name, self._collector.latest(), address, id_text)

    def raw_bytes(self, name: bytes, address: Address) -> bytes | None:
        """Return the exact bytes of a job, None when it no longer stands near its address."""
        return self._jobs.raw(QueueKeys.found(name), address)

    def trash(self, name: bytes, page: str = "") -> TrashList:
        """Return a page of the trash, the latest discard first."""
        start = start_of(page)
        ask = trash_ask(QueueKeys.found(name), start, self._page_size, self._preview_bytes)
        facts, answers = self._desk.read(name, self._collector.latest(), [ask], workers=False)
        return trash_list(facts, start, self._page_size, answers[0])

    def reap_preview(self, name: bytes, worker: bytes) -> ReapPreview:
        """Return what reaping one worker would move, and where to."""
        return self._workers.reap_preview(name, worker)

    def stale_preview(self, queue: bytes | None = None) -> StalePreview:
        """Return whom a reap of all stale workers and orphan lists would be about."""
        return self._workers.stale_preview(queue)

    def reapable(self, queue: bytes | None, most: int) -> list[WorkerRow]:
        """Return up to `most` of them, 200 a round trip."""
        return self._workers.reapable(queue, most)

    def expire(self) -> None:
        """Forget sums over workers, after an act that changed who holds what."""
        self._collector.expire()

    def close(self) -> None:
        """End the collector's thread; the client stays open."""
        self._collector.close()

    def _processing(self, name: bytes, wish: ListAsk) -> JobList:
        facts, _ = self._desk.read(name, self._collector.latest(), [], workers=True)
        slices, total = processing_slices(facts.workers, wish.at, wish.size)
        if wish.at and not slices:
            wish = ListAsk.of("processing", "", wish.size, wish.preview_bytes)
            slices, total = processing_slices(facts.workers, wish.at, wish.size)
        answers = self._reader.all(processing_asks(facts.q, slices, wish.preview_bytes))
        return processing_list(facts, wish, slices, total, answers)
