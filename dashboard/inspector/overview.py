"""The overview and the rail: all queues at once.

Owns: its round trips (one, or two when a new queue is met), the order of queues, and the findings. Refuses:
to count over workers; the collector did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from dashboard.inspector.collector import Collector
from dashboard.inspector.depths import DepthsAt, Lengths, depth_asks, joined
from dashboard.inspector.discovery import Discovery, type_ask
from dashboard.inspector.findings import RANK, queue_findings, ranked
from dashboard.inspector.health import HealthDesk
from dashboard.inspector.key_space import part_of
from dashboard.inspector.passes import Pass, QueuePass
from dashboard.inspector.permission_desk import PermissionDesk
from dashboard.inspector.reading import Reader, ScriptAsk
from dashboard.inspector.server_findings import janitor_findings, server_findings
from dashboard.inspector.snapshots import (
    Finding,
    Overview,
    QueueSummary,
    RailQueue,
    RedisHealth,
    Severity,
    Shell,
)
from dashboard.inspector.summaries import summary
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy

RAIL_QUEUES = 50
"""Queues that the rail lists; the overview has all of them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A summary, and what it was put together from."""

    lengths: Lengths
    passed: QueuePass | None
    summary: QueueSummary


@dataclass(slots=True)
class OverviewDesk:
    """Reads all queues."""

    reader: Reader
    discovery: Discovery
    collector: Collector
    health: HealthDesk
    permissions: PermissionDesk
    defaults: Policy
    _rail: tuple[Pass, tuple[RailQueue, ...]] | None = None
    _kept: dict[bytes, Row] = field(default_factory=dict)
    """The last rows: between two passes most queues stand as they stood, for every page that is looked at."""

    def overview(self) -> Overview:
        """Return everything at a glance: at most two round trips beside the collector. Raises ServerError."""
        latest = self.collector.latest()
        depths, health = self._read()
        names = self.discovery.names()
        if _is_outdated(latest, depths, names):
            latest = self.collector.newer()
        queues = self._summaries(depths, latest, names)
        found = findings_of(queues, latest, depths.now)
        findings = ranked([*found, *server_findings(health), *self.permissions.findings()])
        return Overview(
            now=depths.now,
            queues=in_order(queues, findings),
            findings=findings,
            worker_total=sum(queue.workers.total - queue.workers.gone for queue in queues),
            waiting_total=sum(queue.depths.pending or 0 for queue in queues),
            scan=self.discovery.state(),
            health=health,
        )

    def shell(self, server_label: str) -> Shell:
        """Return the frame's figures from the latest pass: no round trip while the collector is warm."""
        latest = self.collector.latest()
        if self._rail is None or self._rail[0] is not latest:
            self._rail = (latest, self._rail_of(latest))
        return Shell(
            now=latest.at,
            server_label=server_label,
            queues=self._rail[1],
            queue_count=len(latest.queues),
            health=self.health.current(),
            scan=self.discovery.state(),
        )

    def _rail_of(self, latest: Pass) -> tuple[RailQueue, ...]:
        depths = DepthsAt(latest.at, {name: passed.lengths for name, passed in latest.queues.items()})
        queues = self._summaries(depths, latest, self.discovery.names())
        gravest = _gravest(findings_of(queues, latest, latest.at))
        return tuple(
            RailQueue(queue.name, queue.depths.pending, gravest.get(queue.name))
            for queue in queues[:RAIL_QUEUES]
        )

    def _read(self) -> tuple[DepthsAt, RedisHealth]:
        """Search, and read the lengths of the queues known so far; a second trip where others were met."""
        names, unproven = self._candidates()
        looks, health = self.discovery.page_asks(), self.health.asks()
        sizes, types = self._length_asks(names), [type_ask(key) for key in unproven]
        answers = iter(self.reader.all([*looks, *health, *sizes, *types]))
        looked, healthy, sized, typed = (
            list(islice(answers, len(asks))) for asks in (looks, health, sizes, types)
        )
        self.discovery.take(looked)
        self.discovery.prove(dict(zip(unproven, typed, strict=True)))
        told = self.health.take(healthy, self.reader.clock.now())
        met, unproven = self._candidates()
        if met <= names and not unproven:
            depths = joined(sized, self.reader.clock.now())
            return DepthsAt(
                depths.now, {name: depths.lengths[name] for name in met & depths.lengths.keys()}
            ), told
        sizes = self._length_asks(met)
        answers = iter(self.reader.all([*sizes, *map(type_ask, unproven)]))
        depths = joined(list(islice(answers, len(sizes))), self.reader.clock.now())
        self.discovery.prove(dict(zip(unproven, answers, strict=True)))
        return depths, told

    def _candidates(self) -> tuple[set[bytes], list[bytes]]:
        """Return the names of all queues that there may be, and the keys whose types decide about some."""
        unproven = self.discovery.unproven()
        maybe = {found[0] for key in unproven if (found := part_of(key))}
        return {*self.discovery.names(), *maybe}, unproven

    def _length_asks(self, names: set[bytes]) -> list[ScriptAsk[DepthsAt]]:
        return depth_asks([QueueKeys.found(name) for name in sorted(names)], self.reader)

    def _summaries(self, depths: DepthsAt, latest: Pass, names: Sequence[bytes]) -> list[QueueSummary]:
        kept = self._kept
        rows = {
            name: self._row(name, depths.lengths[name], latest.queues.get(name), kept.get(name))
            for name in sorted(depths.lengths.keys() & {*names, *latest.queues})
        }
        self._kept = rows
        return [row.summary for row in rows.values()]

    def _row(self, name: bytes, lengths: Lengths, passed: QueuePass | None, kept: Row | None) -> Row:
        if kept and kept.passed is passed and kept.lengths == lengths:
            return kept
        is_named = name in self.discovery.named
        told = summary(QueueKeys.found(name), lengths, passed, self.defaults, is_named=is_named)
        return Row(lengths, passed, told)


def _is_outdated(latest: Pass, depths: DepthsAt, names: Sequence[bytes]) -> bool:
    """Tell whether the collector's pass cannot be right: other queues, other numbers of workers."""
    for name in names:
        passed = latest.queues.get(name)
        if passed is None:
            return True
        count = depths.lengths[name].worker_count if name in depths.lengths else None
        if count is not None and count != passed.counts.total - passed.counts.orphan:
            return True
    return False


def findings_of(queues: Sequence[QueueSummary], latest: Pass, now: float) -> list[Finding]:
    """Return the findings about all queues, in no order."""
    found: list[Finding] = []
    for queue in queues:
        passed = latest.queues.get(queue.name)
        found += queue_findings(queue, passed.notable if passed else (), passed, now)
    return [*found, *janitor_findings(queues, now)]


def in_order(queues: Sequence[QueueSummary], findings: Sequence[Finding]) -> tuple[QueueSummary, ...]:
    """Return queues, those that need somebody first, then by name."""
    gravest = _gravest(findings)
    calm = len(RANK)
    return tuple(sorted(queues, key=lambda queue: (_rank(gravest.get(queue.name), calm), queue.name)))


def _rank(severity: Severity | None, calm: int) -> int:
    return RANK[severity] if severity in ("urgent", "soon") else calm


def _gravest(findings: Sequence[Finding]) -> dict[bytes, Severity]:
    gravest: dict[bytes, Severity] = {}
    for finding in findings:
        if finding.queue is None:
            continue
        before = gravest.get(finding.queue)
        if before is None or RANK[finding.severity] < RANK[before]:
            gravest[finding.queue] = finding.severity
    return gravest
