"""What daemons do: watch, reap and adopt in batches, a supervisor's requeue, promote what is due."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dashboard.queue.answers import Code
from dashboard.queue.liveness import look
from dashboard.queue.policy import Policy
from tests.model.bench import WORKERS
from tests.model.ground import ACT_ID, PICK, Ground, act, around
from tests.model.places import STALE_AFTER_SECONDS

LIMIT = st.sampled_from([1, 2, 100])
LATER = st.sampled_from([0.0, STALE_AFTER_SECONDS + 1])
"""How long after the last step a reaper comes."""


class JanitorRules(Ground):
    """Rules of the daemons' side."""

    @precondition(lambda self: self.places.beats)
    @rule()
    def watch(self) -> None:
        """A janitor's look: since when is each heartbeat unchanged?"""
        for worker, value in self.places.beats.items():
            watch = look(self.places.watches.get(worker), value, self.now, Policy())
            self.places.watches[worker] = watch
            self.client.hset(self.q.watch, worker, watch.to_bytes())

    def suspect(self, pick: int) -> bytes:
        """A worker with jobs, where there is one."""
        holding = [worker for worker, _ in self.places.lists()]
        return bytes(around(holding or WORKERS, pick))

    @rule(pick=PICK, limit=LIMIT, has_seen=st.sampled_from(["this", "this", "another", "none"]), later=LATER)
    def reap(self, pick: int, limit: int, has_seen: str, later: float) -> None:
        """A daemon's call, with the heartbeat that it saw, another one, or none at all."""
        worker = self.suspect(pick)
        beat, watch = self.places.beats.get(worker), self.places.watches.get(worker)
        evidence = {"this": beat, "another": b"1", "none": None}[has_seen]
        self.now += later
        self.requeue(worker, "stale", evidence, limit, since=watch.first_seen if watch else None)

    @precondition(lambda self: self.hands_in("dead"))
    @rule(pick=PICK, limit=LIMIT, is_its_own=st.sampled_from([True, True, False]))
    def child_exit(self, pick: int, limit: int, is_its_own: bool) -> None:
        """A supervisor gives back at once what its own dead child held, and nothing of another's."""
        hand = around(self.hands_in("dead"), pick)
        self.requeue(hand.name, "child-exit", hand.token.encode() if is_its_own else b"another", limit)

    @rule(
        pick=PICK, limit=LIMIT, act_id=ACT_ID, seen=st.sampled_from(["this", "this", "another"]), later=LATER
    )
    def reap_by_an_operator(self, pick: int, limit: int, act_id: str, seen: str, later: float) -> None:
        """By what a page showed, and once for each act."""
        worker = self.suspect(pick)
        self.now += later
        evidence = self.places.beats.get(worker) if seen == "this" else b"1"
        self.requeue(worker, "operator", evidence, limit, act_id)

    @precondition(lambda self: self.orphans)
    @rule()
    def adopt(self) -> None:
        """One scan of a managed queue: every list without a heartbeat gets one."""
        for worker, jobs in self.places.lists():
            if jobs and worker not in self.places.beats:
                self.requeue(worker, "stale", None, 100)

    def requeue(
        self,
        worker: bytes,
        why: str,
        evidence: bytes | None,
        limit: int,
        act_id: str = "",
        since: float | None = None,
    ) -> None:
        """Call requeue, and what it must do."""
        places, had = self.places, len(self.places.of(worker))
        answer = self.scripts.requeue(
            self.q, worker, why=why, evidence=evidence, defaults=Policy(), act=act(act_id), limit=limit,
            watched_since=since,
        )  # fmt: skip
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        verdict = places.verdict(worker, why, evidence, self.now, since)
        assert answer.code == verdict
        if verdict == "adopted":
            places.beats[worker] = b"%d" % self.now
            self.orphans.discard(worker)
        if verdict != "reaped":
            self.event = verdict == "adopted"
            assert answer.left_count == had
            return
        taken, moved, died = places.requeue(worker, limit, why)
        assert (answer.moved_count, answer.dead_count, answer.left_count) == (moved, died, had - len(taken))
        self.hands[worker].rob(taken)
        self.remember(act_id, "reaped", len(taken))
        self.event = bool(taken)

    @rule(limit=LIMIT, act_id=ACT_ID)
    def promote_due(self, limit: int, act_id: str) -> None:
        """What is due goes behind what waits."""
        answer = self.scripts.promote_due(self.q, act=act(act_id), limit=limit)
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        due = self.places.promote_due(self.now, limit)
        self.remember(act_id, "promoted", len(due))
        self.event = bool(due)
        next_due = min(self.places.delayed.values(), default=None)
        assert (answer.code, answer.count, answer.next_due) == (Code.PROMOTED, len(due), next_due)
