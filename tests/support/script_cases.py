"""One call of every script on the standing queue, with the keys it needs and those it can do without.

Owns: the list that tests go through when they ask the same of all scripts. Refuses: to say what a script
does; its own test file does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.support.standing_queue import NOW, QUEUE, SILENT, TOKEN, TRASH_ID, W1, W2, address, job

Q = QUEUE
ACT = Act("ann", "act-1")
D2 = job("d2", 1)
RECORDS = {Q.events, Q.stats}
"""Counters and the flight recorder: they may be anything, the work goes on."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call. `needs`: keys whose type it insists on. `can_miss`: keys of which it makes the best."""

    script: str
    call: Callable[[Scripts], object]
    code: Code
    needs: frozenset[bytes]
    can_miss: frozenset[bytes]
    variant: str = ""
    acts: bool = False

    @property
    def name(self) -> str:
        """The script's name, with the variant where it has several."""
        return f"{self.script} {self.variant}".strip()


SCORE = b"%.17g" % (NOW + 60)
PENDING, HELD, DEAD = {Q.pending}, {Q.processing(W1)}, {Q.dead}
P2, A1, X1 = address(job("p2"), "pending", 1), job("a1"), address(job("x1", 4), "dead", 0)
DEDUP = {Q.dedup(b"k")}
DELAYED = address(D2, "delayed", 1, SCORE)
OF_W1, OF_W2 = (address(job(name), "processing", 0, worker=w) for name, w in [("a1", W1), ("b1", W2)])


def requeue(scripts: Scripts, why: str, evidence: bytes) -> object:
    """Reap W1."""
    return scripts.requeue(Q, W1, why=why, evidence=evidence, defaults=Policy(), act=ACT)


def once(scripts: Scripts, due: str | None) -> object:
    """Enqueue under the dedup key "k"."""
    return scripts.enqueue_once(Q, job("n"), due=due, dedup=b"k", mark=b"token 1", mark_ms=60_000)


def discard(place: str) -> Callable[[Scripts], object]:
    """Discard one job from that place."""
    seen = {"pending": P2, "dead": X1, "delayed": DELAYED, "processing": OF_W1}[place]
    return lambda scripts: scripts.discard(Q, seen, ACT, defaults=Policy(), trash_count=100)


def case(
    script: str,
    call: Callable[[Scripts], object],
    code: Code,
    needs: set[bytes],
    can_miss: set[bytes],
    variant: str = "",
) -> Case:
    """One row of CASES."""
    return Case(script, call, code, frozenset(needs), frozenset(can_miss), variant)


def act(
    script: str,
    call: Callable[[Scripts], object],
    code: Code,
    needs: set[bytes],
    can_miss: set[bytes],
    variant: str = "",
) -> Case:
    """One row of CASES whose call is an operator's act, remembered under ACT."""
    missed = frozenset(can_miss | {Q.act(ACT.id)})
    return Case(script, call, code, frozenset(needs), missed, variant, acts=True)


CASES = [
    case("claim", lambda s: s.claim(Q, W1, 2), Code.CLAIMED, PENDING | HELD, {Q.policy, Q.stats}),
    case(
        "settle", lambda s: s.settle(Q, W1, 7, [A1], 1), Code.SETTLED, PENDING | HELD,
        {Q.policy, Q.stats, Q.workers},
    ),
    case(
        "fail", lambda s: s.fail(Q, W1, A1, job("a1", 1), delay_ms=5, error="no"), Code.DELAYED,
        HELD | DEAD | {Q.delayed}, RECORDS, "delayed",
    ),
    case(
        "fail", lambda s: s.fail(Q, W1, A1, job("a1", 1), delay_ms=None, error="no"), Code.DEAD,
        HELD | DEAD | {Q.delayed}, RECORDS, "dead",
    ),
    case("release", lambda s: s.release(Q, W1, [A1]), Code.RELEASED, PENDING | HELD, RECORDS),
    case(
        "beat", lambda s: s.beat(Q, W1, token="t", record=b"{}", busy=b"{}"), Code.BEAT,
        HELD | {Q.heartbeats}, {Q.workers, Q.policy, Q.stats},
    ),
    case(
        "retire", lambda s: s.retire(Q, b"w9", token="t"), Code.RETIRED,
        {Q.heartbeats, Q.processing(b"w9")}, RECORDS | {Q.workers, Q.watch},
    ),
    act(
        "requeue", lambda s: requeue(s, "stale", SILENT), Code.REAPED,
        PENDING | HELD | DEAD | {Q.heartbeats}, RECORDS | {Q.policy, Q.watch, Q.workers}, "stale",
    ),
    act(
        "requeue", lambda s: requeue(s, "operator", SILENT), Code.REAPED,
        PENDING | HELD | DEAD | {Q.heartbeats}, RECORDS | {Q.policy, Q.watch, Q.workers}, "operator",
    ),
    act(
        "requeue", lambda s: requeue(s, "child-exit", TOKEN.encode()), Code.REAPED,
        PENDING | HELD | DEAD | {Q.heartbeats}, RECORDS | {Q.policy, Q.watch}, "child-exit",
    ),
    case(
        "sample", lambda s: s.sample(Q, {"held": 4}), Code.SAMPLED, PENDING | DEAD | {Q.delayed}, {Q.stats}
    ),
    act(
        "promote", lambda s: s.promote_due(Q, act=ACT), Code.PROMOTED, PENDING | {Q.delayed}, RECORDS, "due"
    ),
    act(
        "promote", lambda s: s.promote_one(Q, DELAYED, ACT), Code.PROMOTED, PENDING | {Q.delayed}, RECORDS,
        "one",
    ),
    act("revive", lambda s: s.revive_one(Q, X1, ACT), Code.RETRIED, PENDING | DEAD, RECORDS, "one"),
    act(
        "revive", lambda s: s.revive_oldest(Q, bound=2, skip=0, limit=9, act=ACT), Code.RETRIED,
        PENDING | DEAD, RECORDS, "oldest",
    ),
    act(
        "reschedule", lambda s: s.reschedule(Q, DELAYED, NOW, ACT), Code.RESCHEDULED, {Q.delayed}, {Q.events}
    ),
    act("bury", lambda s: s.bury(Q, P2, ACT), Code.BURIED, PENDING | DEAD, RECORDS),
    act(
        "take", lambda s: s.take(Q, OF_W2, ACT, Policy()), Code.TAKEN,
        PENDING | DEAD | {Q.processing(W2)}, RECORDS | {Q.policy},
    ),
    *[
        act("discard", discard(place), Code.DISCARDED, {key, Q.trash}, RECORDS | {Q.policy}, place)
        for place, key in [("pending", Q.pending), ("dead", Q.dead), ("delayed", Q.delayed)]
    ],
    act(
        "discard", discard("processing"), Code.DISCARDED, HELD | {Q.trash, Q.heartbeats},
        RECORDS | {Q.policy}, "processing",
    ),
    act(
        "restore", lambda s: s.restore(Q, TRASH_ID, ACT), Code.RESTORED,
        PENDING | DEAD | {Q.delayed, Q.trash}, RECORDS,
    ),
    act("purge", lambda s: s.purge(Q, ACT, trash_id=TRASH_ID), Code.PURGED, {Q.trash}, {Q.events}, "one"),
    act("purge", lambda s: s.purge(Q, ACT), Code.PURGED, {Q.trash}, {Q.events}, "the oldest"),
    case(
        "enqueue", lambda s: s.enqueue(Q, [job("n")]), Code.ENQUEUED, PENDING, {Q.policy, Q.stats}
    ),
    case(
        "enqueue_at", lambda s: s.enqueue_at(Q, [(job("n"), "+5")]), Code.ENQUEUED, {Q.delayed},
        RECORDS | {Q.policy},
    ),
    case("enqueue_once", lambda s: once(s, None), Code.ENQUEUED, PENDING | DEDUP, {Q.policy, Q.stats}),
    case(
        "enqueue_once", lambda s: once(s, "+5"), Code.ENQUEUED, DEDUP | {Q.delayed}, RECORDS | {Q.policy},
        "delayed",
    ),
    act("pause", lambda s: s.pause(Q, ACT), Code.PAUSED, {Q.policy}, {Q.events}),
    act("resume", lambda s: s.resume(Q, ACT), Code.RESUMED, {Q.policy}, {Q.events}),
]  # fmt: skip

READING: list[tuple[str, Callable[[Scripts], object], bytes]] = [
    ("peek", lambda s: s.peek(Q.pending, 0, -1, 9), Q.pending),
    ("peek a sorted set", lambda s: s.peek(Q.delayed, 0, -1, 9), Q.delayed),
    ("locate", lambda s: s.locate(Q.pending, P2, 9), Q.pending),
    ("locate a delayed one", lambda s: s.locate(Q.delayed, DELAYED, 9), Q.delayed),
]
"""Scripts that only read: what to call, and the key."""
