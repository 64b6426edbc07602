"""The model: what stands where, in plain Python, and what each call of a script must do to it.

Owns: the five places, the trash and what is known of workers, each list in Redis' own order (newest at the
left). Refuses: Redis, bytes of any script's answer, and what workers hold in their hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.queue.liveness import Watch
from tests.model.jobs import ModelJob

STALE_AFTER_SECONDS = 30.0
MAX_ATTEMPTS_DEFAULT = 3
AHEAD_TOLERATED_SECONDS = 5.0


@dataclass(slots=True)
class Trashed:
    """One entry of the trash."""

    id: str
    job: ModelJob
    place: str
    due: float


@dataclass(slots=True)
class Places:
    """One queue. Names that were `acked` or `purged` are nowhere any more."""

    pending: list[ModelJob] = field(default_factory=list)
    dead: list[ModelJob] = field(default_factory=list)
    delayed: dict[ModelJob, float] = field(default_factory=dict)
    held: dict[bytes, list[ModelJob]] = field(default_factory=dict)
    trash: list[Trashed] = field(default_factory=list)
    beats: dict[bytes, bytes] = field(default_factory=dict)
    watches: dict[bytes, Watch] = field(default_factory=dict)
    tokens: dict[bytes, str] = field(default_factory=dict)
    settled: dict[bytes, tuple[int, float]] = field(default_factory=dict)
    acts: dict[str, tuple[str, int]] = field(default_factory=dict)
    max_attempts: int = MAX_ATTEMPTS_DEFAULT
    paused: bool = False
    accepted: Counter[tuple[str, int]] = field(default_factory=Counter)
    acked: Counter[tuple[str, int]] = field(default_factory=Counter)
    purged: Counter[tuple[str, int]] = field(default_factory=Counter)

    def lists(self) -> Iterator[tuple[bytes, list[ModelJob]]]:
        """The workers with a list that holds something."""
        return ((worker, jobs) for worker, jobs in self.held.items() if jobs)

    def of(self, worker: bytes) -> list[ModelJob]:
        """One worker's list."""
        return self.held.setdefault(worker, [])

    def delayed_in_order(self) -> list[ModelJob]:
        """The members of the sorted set as Redis has them."""
        return sorted(self.delayed, key=lambda job: (self.delayed[job], job.raw))

    # Jobs that come, run and leave

    def enqueue(self, jobs: Sequence[ModelJob]) -> None:
        """The first runs first."""
        for job in jobs:
            self.pending.insert(0, job)
        self.accepted.update(job.name for job in jobs)

    def enqueue_at(self, job: ModelJob, due: float) -> bool:
        """False where the bytes are delayed already: their due time stays, and nothing is accepted."""
        if job in self.delayed:
            return False
        self.delayed[job] = due
        self.accepted[job.name] += 1
        return True

    def claim(self, worker: bytes, n: int) -> list[ModelJob]:
        """Up to `n`, oldest first; none while the queue is paused."""
        claimed = [] if self.paused else [self.pending.pop() for _ in range(min(n, len(self.pending)))]
        for job in claimed:
            self.of(worker).insert(0, job)
        return claimed

    def acknowledge(self, worker: bytes, jobs: Sequence[ModelJob]) -> list[int]:
        """Return the places of those that were not held."""
        lost = []
        for place, job in enumerate(jobs):
            if self.take_oldest(worker, job):
                self.acked[job.name] += 1
            else:
                lost.append(place)
        return lost

    def take_oldest(self, worker: bytes, job: ModelJob) -> bool:
        """Take the oldest copy out of a worker's list, where there is one."""
        held = self.of(worker)
        for index in reversed(range(len(held))):
            if held[index] == job:
                del held[index]
                return True
        return False

    def fail(self, worker: bytes, job: ModelJob, failed: ModelJob, due: float | None) -> bool:
        """False where it was not held."""
        if not self.take_oldest(worker, job):
            return False
        if due is None:
            self.dead.insert(0, failed)
        else:
            self.delay(failed, due)
        return True

    def delay(self, job: ModelJob, due: float) -> None:
        """Equal members would collapse into one: spaces keep them apart."""
        while job in self.delayed:
            job = job.spaced()
        self.delayed[job] = due

    def release(self, worker: bytes, jobs: Sequence[ModelJob]) -> list[int]:
        """Oldest first, so that it runs next; return the places of those that were not held, newest first."""
        lost = []
        for place in reversed(range(len(jobs))):
            if jobs[place] in self.of(worker):
                self.of(worker).remove(jobs[place])
                self.pending.append(jobs[place])
            else:
                lost.append(place)
        return lost

    # Reaping

    def verdict(
        self, worker: bytes, why: str, evidence: bytes | None, now: float, since: float | None
    ) -> str:
        """What a requeue must answer: reaped, or why it does nothing."""
        beat = self.beats.get(worker)
        if why == "child-exit":
            return "reaped" if evidence == self.tokens.get(worker, "").encode() else "alive"
        if beat is None:
            if evidence is not None or not self.of(worker):
                return "gone"
            return "adopted" if why == "stale" else "reaped"
        watch = self.watches.get(worker)
        if beat != evidence or self.has_stirred(worker, why, now):
            return "alive"
        told = told_by(beat, now)
        if told is not None and now - told <= STALE_AFTER_SECONDS:
            return "alive"
        watched_since = watch.first_seen if watch and watch.value == beat else since
        if told is not None and (why == "operator" or watched_since is None):
            return "reaped"
        is_watched = watched_since is not None and now - watched_since > STALE_AFTER_SECONDS
        return "reaped" if is_watched else "watched"

    def has_stirred(self, worker: bytes, why: str, now: float) -> bool:
        """Whether it settled after it was last looked at: by the daemon, or by whoever reads a page."""
        watch = self.watches.get(worker)
        looked_at = watch.last_seen if watch and why == "stale" else now - STALE_AFTER_SECONDS
        return worker in self.settled and self.settled[worker][1] > looked_at

    def requeue(self, worker: bytes, limit: int, why: str) -> tuple[list[ModelJob], int, int]:
        """Reap; return the jobs as they were held, how many may run again, and how many are dead."""
        taken = self.of(worker)[:limit]
        del self.of(worker)[:limit]
        moved = 0
        for job in taken:
            bumped = job.bumped()
            if bumped.may_run(self.max_attempts):
                self.pending.append(bumped)
                moved += 1
            else:
                self.dead.insert(0, bumped)
        if not self.of(worker) and why != "child-exit":
            self.forget(worker)
        return taken, moved, len(taken) - moved

    def forget(self, worker: bytes) -> None:
        """What a worker told of itself goes with its heartbeat."""
        known: list[dict[bytes, Any]] = [self.beats, self.watches, self.tokens, self.settled]
        for by_worker in known:
            by_worker.pop(worker, None)

    # Moves of a daemon or an operator

    def promote_due(self, now: float, limit: int) -> list[ModelJob]:
        """Behind what waits, in due order."""
        due = [job for job in self.delayed_in_order() if self.delayed[job] <= now][:limit]
        for job in due:
            del self.delayed[job]
            self.pending.insert(0, job)
        return due

    def revive_oldest(self, bound: int, skip: int, limit: int) -> tuple[int, int]:
        """Behind what waits, oldest first; return how many moved and how many cannot be read."""
        oldest_first = self.dead[::-1]
        seen = oldest_first[skip:bound][:limit]
        moving = [job for job in seen if job.is_readable]
        kept = [job for job in seen if not job.is_readable]
        rest = oldest_first[skip + len(seen) :]
        self.dead = [*rest[::-1], *kept[::-1], *oldest_first[:skip][::-1]]
        for job in moving:
            self.pending.insert(0, job.renewed())
        return len(moving), len(kept)

    def restore(self, entry: Trashed) -> str:
        """Put it back; return where to."""
        self.trash.remove(entry)
        if entry.place == "delayed":
            self.delay(entry.job, entry.due)
            return "delayed"
        place = "pending" if entry.place == "pending" else "dead"
        (self.pending if place == "pending" else self.dead).insert(0, entry.job)
        return place


def told_by(beat: bytes, now: float) -> float | None:
    """The instant that a heartbeat of the machine's tells: digits alone, and not far ahead."""
    return float(beat) if beat.isdigit() and float(beat) <= now + AHEAD_TOLERATED_SECONDS else None
