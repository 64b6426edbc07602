"""What operators do to jobs: promote, reschedule, retry, bury, take, discard, restore, purge, pause."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dashboard.queue.address import Address
from dashboard.queue.answers import Code, Moved
from dashboard.queue.job import digest
from dashboard.queue.policy import Policy
from tests.model.ground import ACT_ID, HINT_DRIFT, PICK, Ground, act, around
from tests.model.jobs import ModelJob
from tests.model.places import STALE_AFTER_SECONDS, Trashed, told_by

PLACE = st.sampled_from(["pending", "dead", "delayed", "processing", "processing"])
TRASH_COUNT = 1_000_000


class OperatorRules(Ground):
    """Rules of the operators' side: each act by the address that a page showed, under a one-time id."""

    def moved(self, answer: Moved, act_id: str, code: Code) -> bool:
        """Whether an act on one job happened, as it must unless its id was used before."""
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return False
        assert answer.code is code
        self.remember(act_id, str(code), 1)
        self.event = True
        return True

    def act_on_what_is_gone(self, act_id: str) -> None:
        """A job that a page showed and that has left since: nothing moves."""
        raw = b"left long ago"
        answer = self.scripts.bury(self.q, Address("pending", len(raw), digest(raw), 0), act(act_id))
        if not self.is_repeated(act_id, answer.code, answer.repeat):
            assert answer.code is Code.GONE

    @precondition(lambda self: self.places.delayed)
    @rule(pick=PICK, drift=HINT_DRIFT, act_id=ACT_ID)
    def promote_one(self, pick: int, drift: int, act_id: str) -> None:
        """Run now: at the right end."""
        job, address = self.delayed_address(pick, drift)
        answer = self.scripts.promote_one(self.q, address, act(act_id))
        if not self.is_repeated(act_id, answer.code, answer.repeat):
            assert (answer.code, answer.count) == (Code.PROMOTED, 1)
            del self.places.delayed[job]
            self.places.pending.append(job)
            self.remember(act_id, "promoted", 1)
            self.event = True

    @precondition(lambda self: self.places.delayed)
    @rule(pick=PICK, drift=HINT_DRIFT, act_id=ACT_ID, seconds=st.sampled_from([-5.0, 0.0, 7.125, 50.0]))
    def reschedule(self, pick: int, drift: int, act_id: str, seconds: float) -> None:
        """Another due time."""
        job, address = self.delayed_address(pick, drift)
        answer = self.scripts.reschedule(self.q, address, self.now + seconds, act(act_id))
        if self.moved(answer, act_id, Code.RESCHEDULED):
            self.places.delayed[job] = self.now + seconds

    @precondition(lambda self: self.places.dead)
    @rule(pick=PICK, drift=HINT_DRIFT, act_id=ACT_ID, keeps=st.booleans())
    def retry_one(self, pick: int, drift: int, act_id: str, keeps: bool) -> None:
        """One dead job to run next; one that cannot be read stays."""
        dead, index = self.places.dead, pick % len(self.places.dead)
        address = self.address("dead", index, dead, drift)
        answer = self.scripts.revive_one(self.q, address, act(act_id), keep_attempts=keeps)
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        counts = (answer.moved_count, answer.unreadable_count, answer.seen_count)
        if not dead[index].is_readable:
            assert (answer.code, counts) == (Code.UNREADABLE, (0, 1, 1))
            return
        assert (answer.code, counts) == (Code.RETRIED, (1, 0, 1))
        job = dead.pop(index)
        self.places.pending.append(job if keeps else job.renewed())
        self.remember(act_id, "retried", 1)
        self.event = True

    @rule(bound=st.integers(0, 6), skip=st.integers(0, 2), limit=st.integers(1, 4), act_id=ACT_ID)
    def retry_oldest(self, bound: int, skip: int, limit: int, act_id: str) -> None:
        """Several, behind what waits."""
        answer = self.scripts.revive_oldest(self.q, bound=bound, skip=skip, limit=limit, act=act(act_id))
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        moved, unreadable = self.places.revive_oldest(bound, skip, limit)
        assert answer.code is Code.RETRIED
        counts = (answer.moved_count, answer.unreadable_count, answer.seen_count)
        assert counts == (moved, unreadable, moved + unreadable)
        self.remember(act_id, "retried", moved)
        self.event = moved > 0

    @rule(pick=PICK, drift=HINT_DRIFT, act_id=ACT_ID)
    def bury(self, pick: int, drift: int, act_id: str) -> None:
        """A pending job to dead, unchanged."""
        if not self.places.pending:
            self.act_on_what_is_gone(act_id)
            return
        pending, index = self.places.pending, pick % len(self.places.pending)
        address = self.address("pending", index, pending, drift)
        if self.moved(self.scripts.bury(self.q, address, act(act_id)), act_id, Code.BURIED):
            self.places.dead.insert(0, pending.pop(index))

    @precondition(lambda self: any(self.places.lists()))
    @rule(pick=PICK, which=PICK, drift=HINT_DRIFT, act_id=ACT_ID)
    def take(self, pick: int, which: int, drift: int, act_id: str) -> None:
        """A job out of a wedged worker's list, one attempt more."""
        worker, held = around(list(self.places.lists()), pick)
        index = which % len(held)
        answer = self.scripts.take(
            self.q, self.address("processing", index, held, drift, worker), act(act_id), Policy()
        )
        if self.moved(answer, act_id, Code.TAKEN):
            job = held.pop(index)
            self.hands[worker].rob([job])
            may_run = job.bumped().may_run(self.places.max_attempts)
            assert answer.place == ("pending" if may_run else "dead")
            if may_run:
                self.places.pending.append(job.bumped())
            else:
                self.places.dead.insert(0, job.bumped())

    @rule(place=PLACE, pick=PICK, which=PICK, act_id=ACT_ID)
    def discard(self, place: str, pick: int, which: int, act_id: str) -> None:
        """Into the trash, unless a live worker holds it."""
        places, worker, due = self.places, b"", 0.0
        jobs: list[ModelJob] = {"pending": places.pending, "dead": places.dead}.get(place, [])
        if place == "processing" and any(places.lists()):
            worker, jobs = around(list(places.lists()), pick)
        if place == "delayed" and places.delayed:
            job, address = self.delayed_address(which, 0)
            due = places.delayed[job]
        elif jobs:
            address = self.address(place, which % len(jobs), jobs, 0, worker)
        else:
            return
        answer = self.scripts.discard(
            self.q, address, act(act_id), defaults=Policy(), trash_count=TRASH_COUNT
        )
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        if worker and self.is_protected(worker):
            assert answer.code is Code.ALIVE
            return
        assert answer.code is Code.DISCARDED
        if place == "delayed":
            del places.delayed[job]
        else:
            job = jobs.pop(which % len(jobs))
        if worker:
            self.hands[worker].rob([job])
        places.trash.append(Trashed(answer.trash_id, job, place, due))
        self.remember(act_id, "discarded", 1)
        self.event = True

    def is_protected(self, worker: bytes) -> bool:
        """Whether its heartbeat is young, or tells nothing."""
        beat = self.places.beats.get(worker)
        told = told_by(beat, self.now) if beat is not None else 0.0
        return told is None or self.now - told <= STALE_AFTER_SECONDS

    @precondition(lambda self: self.places.trash)
    @rule(pick=PICK, act_id=ACT_ID)
    def restore(self, pick: int, act_id: str) -> None:
        """Back to where it came from."""
        entry = around(self.places.trash, pick)
        answer = self.scripts.restore(self.q, entry.id, act(act_id))
        if self.moved(answer, act_id, Code.RESTORED):
            assert answer.place == self.places.restore(entry)

    @precondition(lambda self: self.places.trash)
    @rule(pick=PICK, act_id=ACT_ID, count=st.integers(0, 2))
    def purge(self, pick: int, act_id: str, count: int) -> None:
        """One entry of the trash, or the oldest ones, for ever."""
        trash = self.places.trash
        going = trash[:count] if count else [around(trash, pick)]
        trash_id = "" if count else going[0].id
        answer = self.scripts.purge(self.q, act(act_id), trash_id=trash_id, limit=count or 1)
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        for entry in going:
            trash.remove(entry)
            self.places.purged[entry.job.name] += 1
        assert (answer.code, answer.count, answer.left_count) == (Code.PURGED, len(going), len(trash))
        self.remember(act_id, "purged", len(going))
        self.event = True

    @rule(is_pause=st.sampled_from([True, False, False]), act_id=ACT_ID)
    def pause_or_resume(self, is_pause: bool, act_id: str) -> None:
        """Workers of ours claim nothing, or do again."""
        call = self.scripts.pause if is_pause else self.scripts.resume
        answer = call(self.q, act(act_id))
        if self.is_repeated(act_id, answer.code, answer.repeat):
            return
        changed = self.places.paused is not is_pause
        assert (answer.code, answer.changed) == (Code.PAUSED if is_pause else Code.RESUMED, changed)
        self.places.paused = is_pause
        self.remember(act_id, "paused" if is_pause else "resumed", int(changed))
        self.event = changed
