"""What workers do: begin, beat, claim, run, settle, fail and release, replies lost or not."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dashboard.queue.answers import Code
from dashboard.queue.claims import call_number, reconcile, still_held
from dashboard.queue.job import bump, splice
from dashboard.queue.keys import SETTLED, worker_field
from tests.model.ground import PICK, Ground, around, raws
from tests.model.hand import Hand
from tests.model.jobs import ModelJob
from tests.model.places import STALE_AFTER_SECONDS

FENCE_SECONDS = 0.75 * STALE_AFTER_SECONDS
LOST = st.sampled_from(["after", "before"])
"""A reply is lost after the call happened; or the call never arrived."""


class WorkerRules(Ground):
    """Rules of the workers' side."""

    def live(self) -> list[Hand]:
        """Workers that run."""
        return self.hands_in("live")

    def within_fence(self, hand: Hand) -> Hand:
        """A worker that has beaten lately: without that it would claim nothing, so it beats now."""
        if self.now - hand.beat_at >= FENCE_SECONDS:
            self.beats(hand)
        return hand

    def beginners(self) -> list[Hand]:
        """Names that may begin: their lists are empty, whatever their predecessor left was given back."""
        return [hand for hand in self.hands_in("absent", "dead") if not self.places.of(hand.name)]

    @precondition(lambda self: self.beginners())
    @rule(pick=PICK)
    def start(self, pick: int) -> None:
        """A worker beats before its first claim."""
        hand = around(self.beginners(), pick)
        hand.begin(f"token-{self.numbers}")
        self.numbers += 1
        self.beats(hand)

    @precondition(lambda self: self.live())
    @rule(pick=PICK)
    def beat(self, pick: int) -> None:
        """A heartbeat."""
        self.beats(around(self.live(), pick))

    def beats(self, hand: Hand) -> None:
        """Beat, and what the answer must be."""
        answer = self.scripts.beat(self.q, hand.name, token=hand.token, record=b"{}", busy=b"{}")
        held_count = len(self.places.of(hand.name))
        assert (answer.now, answer.held_count, answer.paused) == (self.now, held_count, self.places.paused)
        self.places.beats[hand.name] = b"%d" % self.now
        self.places.tokens[hand.name] = hand.token
        self.orphans.discard(hand.name)
        hand.beat_at = self.now

    @precondition(lambda self: self.live() and self.places.pending)
    @rule(pick=PICK, n=st.integers(1, 4))
    def claim(self, pick: int, n: int) -> None:
        """A claim of its own."""
        self.claims(around(self.live(), pick), n)

    def claims(self, hand: Hand, n: int) -> None:
        """Call claim, and what it must bring."""
        answer = self.scripts.claim(self.q, self.within_fence(hand).name, n)
        claimed = self.places.claim(hand.name, n)
        assert answer.code is (Code.PAUSED if self.places.paused else Code.CLAIMED)
        assert answer.raws == raws(claimed)
        hand.todo += claimed

    @precondition(lambda self: self.places.pending and any(not hand.jobs for hand in self.live()))
    @rule(pick=PICK)
    def block(self, pick: int) -> None:
        """BLMOVE with nothing in hand, which a pause that came later does not keep from taking one."""
        hand = self.within_fence(around([hand for hand in self.live() if not hand.jobs], pick))
        self.client.lmove(self.q.pending, self.q.processing(hand.name), "RIGHT", "LEFT")  # type: ignore[arg-type]
        job = self.places.pending.pop()
        self.places.of(hand.name).insert(0, job)
        hand.todo.append(job)

    @precondition(lambda self: self.busy())
    @rule(pick=PICK, count=st.integers(1, 3))
    def run(self, pick: int, count: int) -> None:
        """Handlers return; Redis is told later."""
        hand = around(self.busy(), pick)
        for job in [job for job in hand.todo if job.is_readable][:count]:
            hand.todo.remove(job)
            hand.done.append(job)
            self.finished[job.name] += 1

    def busy(self) -> list[Hand]:
        """Workers with something to run."""
        return [hand for hand in self.live() if hand.todo]

    @precondition(lambda self: self.live())
    @rule(pick=PICK, n=st.integers(0, 3))
    def settle(self, pick: int, n: int) -> None:
        """Acknowledge and claim in one call."""
        hand = self.within_fence(around(self.live(), pick))
        call = hand.calls.begin(raws(hand.done))
        answer = self.scripts.settle(self.q, hand.name, call, raws(hand.done), n)
        hand.calls.confirm(call, answer.lost)
        claimed, lost = self.settled(hand, call, hand.done, n)
        assert answer.code is (Code.PAUSED if n and self.places.paused else Code.SETTLED)
        assert (answer.acked_count, answer.lost) == (len(hand.done) - len(lost), lost)
        assert answer.raws == raws(claimed)
        hand.miss(hand.done[place] for place in lost)
        hand.done, hand.todo = [], [*hand.todo, *claimed]

    def settled(
        self, hand: Hand, call: int, done: list[ModelJob], n: int
    ) -> tuple[list[ModelJob], list[int]]:
        """What a settle does to the queue: the jobs claimed, and the places of those that were not held."""
        lost = self.places.acknowledge(hand.name, done)
        claimed = self.places.claim(hand.name, n)
        self.places.settled[hand.name] = (call, self.now)
        self.only_finished_jobs_are_gone()
        return claimed, lost

    def only_finished_jobs_are_gone(self) -> None:
        """No job leaves that no handler has finished, unless an operator purged it."""
        assert not self.places.acked - self.finished

    @precondition(lambda self: self.live())
    @rule(pick=PICK, n=st.integers(0, 3), lost=LOST, is_forgotten=st.booleans())
    def settle_without_a_reply(self, pick: int, n: int, lost: str, is_forgotten: bool) -> None:
        """The claim line reads its list then, with no claim outstanding, and goes on from what it holds."""
        hand = self.within_fence(around(self.live(), pick))
        doubtful = hand.calls.begin(raws(hand.done))
        if lost == "after":
            self.scripts.settle(self.q, hand.name, doubtful, raws(hand.done), n)
            self.settled(hand, doubtful, hand.done, n)
        if is_forgotten:
            self.client.hdel(self.q.workers, worker_field(SETTLED, hand.name))
            self.places.settled.pop(hand.name, None)
        stored: bytes | None = self.client.hget(self.q.workers, worker_field(SETTLED, hand.name))  # type: ignore[assignment]
        known = call_number(stored)
        listed, forgotten = self.listed(hand), hand.calls.forgotten_by(known)
        outcome = reconcile(listed, known, doubtful, raws(hand.done), raws(hand.todo), forgotten)
        assert not Counter(outcome.acks) - Counter(raws(hand.done)), "acknowledged without a run"
        assert Counter(outcome.acks) + Counter(outcome.todo) == Counter(listed), "a copy is passed over"
        if lost == "before" and known is not None and not +hand.stolen:
            assert outcome.acks == raws(hand.done), "what was finished runs again"
        by_raw = {job.raw: job for job in self.places.of(hand.name)}
        if known is not None and known >= doubtful:
            hand.calls.confirm(known)
        elif outcome.acks:
            call = hand.calls.begin(outcome.acks, after=known)
            answer = self.scripts.settle(self.q, hand.name, call, outcome.acks, 0)
            assert answer.lost == []
            hand.calls.confirm(call)
            self.settled(hand, call, [by_raw[raw] for raw in outcome.acks], 0)
        else:
            hand.calls.dismiss(known)
        hand.empty()
        hand.todo = [by_raw[raw] for raw in outcome.todo]

    @precondition(lambda self: self.busy())
    @rule(
        pick=PICK, count=st.sampled_from([1, 3]), error=st.sampled_from("ab"),
        delay_ms=st.sampled_from([0, 1500, 60_000]), lost=st.sampled_from(["", "", "after", "before"]),
    )  # fmt: skip
    def fail(self, pick: int, count: int, error: str, delay_ms: int, lost: str) -> None:
        """Handlers raise, one after the other; the reply to the first is lost."""
        hand = around(self.busy(), pick)
        failing = hand.todo[:count]
        were_held = [
            self.fails(hand, job, error, delay_ms, "" if place else lost) for place, job in enumerate(failing)
        ]
        self.event = any(were_held)

    def fails(self, hand: Hand, job: ModelJob, error: str, delay_ms: int, lost: str) -> bool:
        """Delayed, or dead by its counter; told again only while the list holds the copy."""
        failed = job.failed(error)
        counted = bump(job.raw)
        assert failed.raw == (splice(counted[0], {"error": error}) if counted else job.raw)
        delay = delay_ms if failed.may_run(self.places.max_attempts) else None
        was_held = lost != "before" and self.tell_failure(hand, job, failed, delay)
        if lost and still_held(self.listed(hand), raws(hand.jobs), [job.raw]):
            assert lost == "before", "a failure that was told is told again"
            was_held = self.tell_failure(hand, job, failed, delay)
        hand.todo.remove(job)
        hand.miss([] if was_held else [job])
        return was_held

    def tell_failure(self, hand: Hand, job: ModelJob, failed: ModelJob, delay_ms: int | None) -> bool:
        """Call fail; return whether the job was still held."""
        answer = self.scripts.fail(self.q, hand.name, job.raw, failed.raw, delay_ms=delay_ms, error="boom")
        due = None if delay_ms is None else self.now + delay_ms / 1000
        was_held = self.places.fail(hand.name, job, failed, due)
        expected = Code.LOST if not was_held else Code.DEAD if due is None else Code.DELAYED
        assert (answer.code, answer.due) == (expected, due if was_held else None)
        return was_held

    @precondition(lambda self: self.busy())
    @rule(pick=PICK, count=st.integers(1, 4), lost=st.sampled_from(["", "", "after", "before"]))
    def release(self, pick: int, count: int, lost: str) -> None:
        """Give the newest of a batch back; again only those copies that the list still holds."""
        hand = around(self.busy(), pick)
        jobs = hand.todo[-count:]
        released = [] if lost == "before" else self.give_back(hand, jobs)
        if lost:
            part = still_held(self.listed(hand), raws(hand.jobs), raws(jobs))
            assert lost == "before" or not part, "jobs that were given back are given back again"
            known = {job.raw: job for job in jobs}
            released += self.give_back(hand, [known[raw] for raw in part]) if part else []
        del hand.todo[-count:]
        hand.miss((Counter(jobs) - Counter(released)).elements())

    def give_back(self, hand: Hand, jobs: list[ModelJob]) -> list[ModelJob]:
        """Call release; return the jobs that were still held."""
        answer = self.scripts.release(self.q, hand.name, raws(jobs))
        lost = self.places.release(hand.name, jobs)
        assert (answer.code, answer.released_count) == (Code.RELEASED, len(jobs) - len(lost))
        assert answer.lost == lost
        self.event = len(lost) < len(jobs)
        return [job for place, job in enumerate(jobs) if place not in lost]

    def listed(self, hand: Hand) -> list[bytes]:
        """What the worker's list holds, oldest first, as the worker itself reads it."""
        listed: list[bytes] = self.client.lrange(self.q.processing(hand.name), 0, -1)  # type: ignore[assignment]
        return listed[::-1]
