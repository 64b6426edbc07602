"""The overview and the rail: all queues at once.

Owns: its two round trips, the order of queues, and the findings. Refuses: to count over workers; the
collector did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.inspector.collector import Collector
from dashboard.inspector.depths import DepthsAt, depth_asks, joined
from dashboard.inspector.discovery import Discovery, type_ask
from dashboard.inspector.findings import RANK, queue_findings, ranked
from dashboard.inspector.health import HealthDesk
from dashboard.inspector.key_space import part_of
from dashboard.inspector.passes import Pass
from dashboard.inspector.reading import Reader
from dashboard.inspector.server_findings import janitor_findings, server_findings
from dashboard.inspector.snapshots import Finding, Overview, QueueSummary, RailQueue, Severity, Shell
from dashboard.inspector.summaries import summary
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy

RAIL_QUEUES = 50
"""Queues that the rail lists; the overview has all of them."""


@dataclass(slots=True)
class OverviewDesk:
    """Reads all queues."""

    reader: Reader
    discovery: Discovery
    collector: Collector
    health: HealthDesk
    defaults: Policy
    _rail: tuple[Pass, tuple[RailQueue, ...]] | None = None

    def overview(self) -> Overview:
        """Return everything at a glance: two round trips beside the collector. Raises ServerError."""
        latest = self.collector.latest()
        looks = self.discovery.page_asks()
        answers = self.reader.all([*looks, *self.health.asks()])
        health = self.health.take(answers[len(looks) :], self.reader.clock.now())
        self.discovery.take(answers[: len(looks)])
        depths = self._depths()
        if self._is_outdated(latest, depths):
            latest = self.collector.newer()
        queues = self._summaries(depths, latest)
        found = findings_of(queues, latest, depths.now)
        findings = ranked([*found, *server_findings(health)])
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
        queues = self._summaries(depths, latest)
        gravest = _gravest(findings_of(queues, latest, latest.at))
        return tuple(
            RailQueue(queue.name, queue.depths.pending, gravest.get(queue.name))
            for queue in queues[:RAIL_QUEUES]
        )

    def _depths(self) -> DepthsAt:
        """Read the lengths of all queues, and the types of keys met for the first time, in one round trip."""
        unproven = self.discovery.unproven()
        candidates = {found[0] for key in unproven if (found := part_of(key))}
        names = sorted({*self.discovery.names(), *candidates})
        asks = depth_asks([QueueKeys.found(name) for name in names], self.reader)
        answers: list[Any] = self.reader.all([*asks, *map(type_ask, unproven)])
        self.discovery.prove(dict(zip(unproven, answers[len(asks) :], strict=True)))
        return joined(answers[: len(asks)], self.reader.clock.now())

    def _is_outdated(self, latest: Pass, depths: DepthsAt) -> bool:
        """Tell whether the collector's pass cannot be right: other queues, other numbers of workers."""
        for name in self.discovery.names():
            passed = latest.queues.get(name)
            if passed is None:
                return True
            count = depths.lengths[name].worker_count if name in depths.lengths else None
            if count is not None and count != passed.counts.total - passed.counts.orphan:
                return True
        return False

    def _summaries(self, depths: DepthsAt, latest: Pass) -> list[QueueSummary]:
        return [
            summary(
                QueueKeys.found(name),
                depths.lengths[name],
                latest.queues.get(name),
                self.defaults,
                is_named=name in self.discovery.named,
            )
            for name in sorted(depths.lengths.keys() & {*self.discovery.names(), *latest.queues})
        ]


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
    return RANK[severity] if severity in ("stale", "late") else calm


def _gravest(findings: Sequence[Finding]) -> dict[bytes, Severity]:
    gravest: dict[bytes, Severity] = {}
    for finding in findings:
        if finding.queue is None:
            continue
        before = gravest.get(finding.queue)
        if before is None or RANK[finding.severity] < RANK[before]:
            gravest[finding.queue] = finding.severity
    return gravest
