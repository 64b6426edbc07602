"""One queue read fresh: lengths, policy, trash, and its workers where they are few.

Owns: the first two round trips of every page of a queue. Refuses: to make a page out of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import redis

from dashboard.inspector.depths import DepthsAt, Lengths, depth_asks, joined
from dashboard.inspector.discovery import Discovery
from dashboard.inspector.errors import QueueNotFound
from dashboard.inspector.judging import Seen, counts_of, judged
from dashboard.inspector.passes import Pass, QueuePass
from dashboard.inspector.reading import Ask, Command, Reader, ScriptAsk, is_wrong_type, raised
from dashboard.inspector.snapshots import QueueSummary, WorkerCounts
from dashboard.inspector.summaries import summary
from dashboard.inspector.surveys import Survey, lengths_asks, survey_ask
from dashboard.inspector.watches import Watches
from dashboard.queue.keys import QueueKeys, scan_pattern, split_key
from dashboard.queue.policy import FIELD_NAMES, Policy

WORKERS_READ_FRESH = 50
"""Up to so many workers a page of their queue reads them itself; the collector knows about more."""

NAME_BYTES_LOOKED_FOR = 2_000
"""Longer names are in no URL that this console made."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A queue at the instant `now`."""

    q: QueueKeys
    now: float
    summary: QueueSummary
    policy: Policy
    workers: tuple[Seen, ...]
    tombstones: Mapping[bytes, bytes]
    #: `workers` were read with the rest; otherwise they are the collector's
    fresh: bool


@dataclass(frozen=True, slots=True)
class Head:
    """What stands beside the lists. `found` tells whether any of the keys exists."""

    found: bool
    policy: Policy
    faults: tuple[str, ...]
    trash_count: int | None


@dataclass(slots=True)
class QueueDesk:
    """Reads one queue at a time. `watches` is the collector's memory."""

    reader: Reader
    discovery: Discovery
    watches: Watches
    defaults: Policy

    def read(
        self, name: bytes, latest: Pass, extra: Sequence[Ask[Any] | ScriptAsk[Any]], *, workers: bool
    ) -> tuple[Facts, list[Any]]:
        """Return the queue and the answers to `extra`: one round trip, two with `workers` where they are few.

        Raises QueueNotFound, ServerAway and ServerRefused.
        """
        if not 0 < len(name) <= NAME_BYTES_LOOKED_FOR:
            raise QueueNotFound(name)
        q = QueueKeys.found(name)
        passed = latest.queues.get(name)
        depths = depth_asks([q], self.reader)
        first: list[Ask[Any] | ScriptAsk[Any]] = [*depths, _head_ask(q, self.defaults)]
        survey_at = len(first)
        if workers:
            first += [survey_ask(q, self.defaults, WORKERS_READ_FRESH, jobs=False), *self._list_asks(q)]
        answers = self.reader.all([*first, *extra])
        found: DepthsAt = joined(answers[: len(depths)])
        head: Head = answers[len(depths)]
        if not (head.found or passed or self.discovery.knows(name)):
            raise QueueNotFound(name)
        lengths = found.lengths[name]
        fresh = None
        if workers:
            survey: Survey = answers[survey_at]
            listed = set().union(*answers[survey_at + 1 : len(first)]) | self.discovery.listed_workers(name)
            fresh = self._fresh_workers(q, survey, listed, found.now)
        facts = self._facts(q, found.now, lengths, head, passed, fresh)
        return facts, answers[len(first) :]

    def _fresh_workers(
        self, q: QueueKeys, survey: Survey, listed: set[bytes], now: float
    ) -> tuple[list[Seen], dict[bytes, bytes]] | None:
        """Return the queue's workers as they are now; None when they are too many for a page."""
        names = list((survey.beats or {}).keys() | listed)
        if survey.beats is None or len(names) > 2 * WORKERS_READ_FRESH:
            return None
        held: dict[bytes, int | None] = {}
        for part in self.reader.all(lengths_asks(q, names)):
            held |= part
        watches = self.watches.look(q.queue, survey.beats, survey.watches, now, survey.policy)
        seen = judged(survey.beats, watches, held, now, survey.policy, may_act=not q.ambiguous)
        return seen, survey.tombstones

    def _facts(
        self,
        q: QueueKeys,
        now: float,
        lengths: Lengths,
        head: Head,
        passed: QueuePass | None,
        fresh: tuple[list[Seen], dict[bytes, bytes]] | None,
    ) -> Facts:
        seen, tombstones = fresh or ((passed.workers, passed.tombstones) if passed else ((), {}))
        counts: WorkerCounts | None = counts_of(seen, now) if fresh else None
        row = summary(
            q,
            lengths,
            passed,
            self.defaults,
            is_named=q.queue in self.discovery.named,
            policy=head.policy,
            counts=counts,
            trash_count=head.trash_count,
            faults=head.faults,
        )
        return Facts(q, now, row, head.policy, tuple(seen), tombstones, fresh is not None)

    def _list_asks(self, q: QueueKeys) -> list[Ask[set[bytes]]]:
        """Return the look for this queue's processing lists, where the database is small enough for one."""
        count = self.discovery.page_scan_count()
        if count is None:
            return []
        command: Command = ("SCAN", 0, "MATCH", scan_pattern(q.queue), "COUNT", count)

        def read(replies: list[Any]) -> set[bytes]:
            if isinstance(replies[0], redis.exceptions.NoPermissionError):
                return set()
            split = (split_key(key) for key in raised(replies[0])[1])
            return {found[2] for found in split if found and found[0] == q.queue and found[2] is not None}

        return [Ask((command,), read, tolerant=True)]


def _head_ask(q: QueueKeys, defaults: Policy) -> Ask[Head]:
    parts = (
        q.pending, q.delayed, q.dead, q.heartbeats, q.policy, q.workers, q.watch, q.events, q.stats, q.trash,
    )  # fmt: skip
    commands: tuple[Command, ...] = (
        ("EXISTS", *parts),
        ("HMGET", q.policy, *FIELD_NAMES),
        ("XLEN", q.trash),
    )

    def read(replies: list[Any]) -> Head:
        exists, values, trash = replies
        wrong = is_wrong_type(values)
        stored = dict(zip((name.encode() for name in FIELD_NAMES), [] if wrong else values, strict=False))
        policy = Policy.from_hash(stored, defaults)
        faults = ["policy is not a hash"] if wrong else [f"policy: {fault}" for fault in policy.faults]
        if is_wrong_type(trash):
            faults.append("trash is not a stream")
        return Head(
            found=bool(exists),
            policy=policy,
            faults=tuple(faults),
            trash_count=None if is_wrong_type(trash) else int(trash),
        )

    return Ask(commands, read)
