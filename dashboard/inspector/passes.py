"""One pass over all queues: who works there, what they hold, how deep each queue is.

Owns: the questions of a pass, in few and bounded round trips, and the memory that connects passes (watches,
counters, depths). Refuses: to decide when a pass is due; the collector does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboard.inspector.depths import DepthsAt, Lengths, depth_asks, joined
from dashboard.inspector.discovery import Discovery
from dashboard.inspector.health import HealthDesk
from dashboard.inspector.judging import Seen, counts_of, judged, notable
from dashboard.inspector.reading import Ask, Command, Reader, ScriptAsk
from dashboard.inspector.snapshots import Rates, ScanState, WorkerCounts
from dashboard.inspector.surveys import Survey, hash_part_ask, lengths_asks, survey_ask
from dashboard.inspector.watches import Watches, notes
from dashboard.queue.keys import HELD_BACK_COUNT, HELD_BACK_UNTIL, QueueKeys
from dashboard.queue.policy import Policy

QUEUES_A_TRIP = 100
"""Queues surveyed in one pipeline: at 200 workers each, about 2 MB of answers."""

LISTS_A_TRIP = 20_000
"""Processing lists measured in one pipeline."""

WALK_STEP = 2_000
WALK_MAX = 200_000
"""Heartbeats of one queue that are looked at; a fleet this large is mostly names that nobody removed."""

TREND_PASSES = 300
"""Depths kept for the trend: ten minutes of passes every two seconds."""

RATE_PASSES = 6
"""Passes that a rate is taken over: about ten seconds, so that one burst does not make it jump."""


@dataclass(frozen=True, slots=True)
class QueuePass:
    """One queue as the pass found it."""

    policy: Policy
    workers: tuple[Seen, ...]
    #: those of them that findings are about: neither alive nor late, or flagged
    notable: tuple[Seen, ...]
    counts: WorkerCounts
    tombstones: dict[bytes, bytes]
    oldest_pending_at: float | None
    #: as in `Survey`
    soonest_due: float | None
    newest_error: str
    #: jobs that died while this process looked, and since when; (0, now) at first
    died: tuple[int, float]
    rates: Rates | None
    trend: tuple[int, ...]
    promoted_at: float | None
    reaped_at: float | None
    #: until when a janitor holds reaping back, and how many workers fell silent together; (0, 0) if none
    held_back: tuple[float, int]
    lengths: Lengths
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """All queues at about one instant of the server's clock."""

    at: float
    queues: dict[bytes, QueuePass]
    scan: ScanState


@dataclass(slots=True)
class Surveyor:
    """Makes passes. Not thread-safe: the collector makes one at a time."""

    reader: Reader
    discovery: Discovery
    defaults: Policy
    health: HealthDesk
    watches: Watches = field(default_factory=Watches)
    _trends: dict[bytes, deque[int]] = field(default_factory=dict)
    _counters: dict[bytes, deque[tuple[float, float, float]]] = field(default_factory=dict)
    _deaths: dict[bytes, deque[tuple[float, float]]] = field(default_factory=dict)

    def survey(self) -> Pass:
        """Look at everything. Raises ServerAway and ServerRefused."""
        self.health.current()
        self.discovery.sweep()
        names = self.discovery.names()
        queues = [QueueKeys.found(name) for name in names]
        depths = DepthsAt(self.reader.clock.now(), {})
        surveys: dict[bytes, Survey] = {}
        for start in range(0, len(queues), QUEUES_A_TRIP):
            part = queues[start : start + QUEUES_A_TRIP]
            asks = depth_asks(part, self.reader)
            answers = self.reader.all([*asks, *(survey_ask(q, self.defaults) for q in part)])
            found = joined(answers[: len(asks)])
            depths = DepthsAt(found.now, depths.lengths | found.lengths)
            surveys |= {q.queue: answer for q, answer in zip(part, answers[len(asks) :], strict=True)}
        beats = {q.queue: self._beats(q, surveys[q.queue]) for q in queues}
        held = self._held(queues, beats)
        self.watches.keep_only(set(names))
        passed = {
            q.queue: self._queue_pass(q, surveys[q.queue], beats[q.queue], held[q.queue], depths)
            for q in queues
        }
        for memory in (self._trends, self._counters, self._deaths):
            for name in memory.keys() - passed.keys():
                del memory[name]
        return Pass(depths.now, passed, self.discovery.state())

    def _beats(self, q: QueueKeys, survey: Survey) -> dict[bytes, bytes]:
        if survey.beats is not None:
            return survey.beats
        found: dict[bytes, bytes] = {}
        cursor = b"0"
        while len(found) < WALK_MAX:
            cursor, part = self.reader.one(hash_part_ask(q.heartbeats, cursor, WALK_STEP))
            found |= part
            if cursor == b"0":
                break
        return found

    def _held(
        self, queues: Sequence[QueueKeys], beats: dict[bytes, dict[bytes, bytes]]
    ) -> dict[bytes, dict[bytes, int | None]]:
        held: dict[bytes, dict[bytes, int | None]] = {q.queue: {} for q in queues}
        owners: list[bytes] = []
        asks: list[ScriptAsk[dict[bytes, int | None]]] = []
        waiting = 0

        def send() -> None:
            for owner, answer in zip(owners, self.reader.all(asks), strict=True):
                held[owner] |= answer
            owners.clear()
            asks.clear()

        for q in queues:
            workers = list(beats[q.queue].keys() | self.discovery.listed_workers(q.queue))
            more = lengths_asks(q, workers)
            owners += [q.queue] * len(more)
            asks += more
            waiting += len(workers)
            if waiting >= LISTS_A_TRIP:
                send()
                waiting = 0
        send()
        return held

    def _queue_pass(
        self,
        q: QueueKeys,
        survey: Survey,
        beats: dict[bytes, bytes],
        held: dict[bytes, int | None],
        depths: DepthsAt,
    ) -> QueuePass:
        now, policy = depths.now, survey.policy
        watches = self.watches.look(q.queue, beats, survey.watches, now, policy)
        if policy.managed or q.queue in self.discovery.named:
            self._note(notes(q, watches, survey.watches, now, policy))
        workers = judged(beats, watches, held, now, policy, may_act=not q.ambiguous)
        lengths = depths.lengths[q.queue]
        return QueuePass(
            policy=policy,
            workers=tuple(workers),
            notable=notable(workers),
            counts=counts_of(workers, now),
            tombstones=survey.tombstones,
            oldest_pending_at=survey.oldest_pending_at,
            soonest_due=survey.soonest_due,
            newest_error=survey.newest_error,
            died=self._died(q.queue, survey.stats.get("dead"), lengths.dead, now),
            rates=self._rates(q.queue, survey.stats, now),
            trend=self._trend(q.queue, lengths.pending),
            promoted_at=survey.stats.get("promoted_at"),
            reaped_at=survey.stats.get("reaped_at"),
            held_back=(survey.stats.get(HELD_BACK_UNTIL, 0.0), int(survey.stats.get(HELD_BACK_COUNT, 0))),
            lengths=lengths,
            faults=(*survey.faults, *(f"policy: {fault}" for fault in policy.faults)),
        )

    def _note(self, commands: Sequence[Command]) -> None:
        """Write the watch; a server that refuses (read-only, full) leaves it in this process's memory."""
        if commands:
            self.reader.all([Ask((command,), lambda _: None, tolerant=True) for command in commands])

    def _trend(self, queue: bytes, pending: int | None) -> tuple[int, ...]:
        depths = self._trends.setdefault(queue, deque(maxlen=TREND_PASSES))
        if pending is not None:
            depths.append(pending)
        return tuple(depths)

    def _rates(self, queue: bytes, stats: dict[str, float], now: float) -> Rates | None:
        # Foreign producers and workers count nothing: half a rate would read as a queue that stands still.
        if "enqueued" not in stats or "acked" not in stats:
            return None
        counted = self._counters.setdefault(queue, deque(maxlen=RATE_PASSES))
        counted.append((now, stats.get("enqueued", 0.0), stats.get("acked", 0.0) + stats.get("dead", 0.0)))
        since, enqueued, finished = counted[0]
        span = now - since
        if span <= 0:
            return None
        return Rates(
            max(0.0, counted[-1][1] - enqueued) / span,
            max(0.0, counted[-1][2] - finished) / span,
        )

    def _died(self, queue: bytes, counter: float | None, length: int | None, now: float) -> tuple[int, float]:
        """Return how many jobs died within the trend's time: by the counter, else by how dead grew."""
        seen = self._deaths.setdefault(queue, deque(maxlen=TREND_PASSES))
        figure = float(length or 0) if counter is None else counter
        if seen and figure < seen[-1][1]:
            seen.clear()
        seen.append((now, figure))
        return int(figure - seen[0][1]), seen[0][0]
