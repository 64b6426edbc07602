"""The ground of the state machine: a real queue beside the model, and what must hold after every step.

Owns: the clock, the clients, the look at every key and the invariants. Refuses: to act; the rules do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from dashboard.queue.address import Act, Address
from dashboard.queue.answers import Code, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import RESERVED_SEGMENTS
from dashboard.queue.scripts import Scripts
from tests.model.bench import WORKERS, Bench, pairs
from tests.model.hand import Hand
from tests.model.jobs import ModelJob
from tests.model.places import Places
from tests.support.standing_queue import NOW, QUEUE

OWN_KEY = re.compile(rb"\{mail\}:(%s)(:.*)?" % b"|".join(sorted(RESERVED_SEGMENTS)), re.DOTALL)

PICK = st.integers(0, 7)
"""Which of several, counted round."""
ACT_ID = st.sampled_from(["", "", "", "act-1", "act-2", "act-3"])
HINT_DRIFT = st.sampled_from([0, 0, 1, 2, 5])


class Ground(RuleBasedStateMachine):
    """One queue of three workers. `self.event`: the step must be told in the flight recorder."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench, self.client, self.q = bench, bench.client, QUEUE
        self.client.flushall()
        self.bench.undeclared()
        self.caller = bench.callers[0]
        self.now = NOW
        self.places = Places()
        self.hands = {worker: Hand(worker) for worker in WORKERS}
        self.finished: Counter[tuple[str, int]] = Counter()
        self.numbers = 0
        self.scores: dict[bytes, bytes] = {}
        self.events_before = self.calls = 0
        self.event = False
        self.orphans: set[bytes] = set()

    @initialize(caller=st.integers(0, 3), max_attempts=st.sampled_from([3, 1, 0]))
    def choose(self, caller: int, max_attempts: int) -> None:
        """RESP2 or RESP3, bytes or text; and a limit."""
        self.caller = self.bench.callers[caller % len(self.bench.callers)]
        self.client.hset(self.q.policy, "max_attempts", max_attempts)
        self.places.max_attempts = max_attempts

    @property
    def scripts(self) -> Scripts:
        """The scripts at the machine's own time, for one call."""
        self.calls += 1
        return Scripts(self.caller, now=self.now)

    # What rules need

    def hands_in(self, *states: str) -> list[Hand]:
        """The workers in one of these states."""
        return [hand for hand in self.hands.values() if hand.state in states]

    def address(
        self, place: str, index: int, jobs: Sequence[ModelJob], drift: int, worker: bytes = b""
    ) -> Address:
        """Where a job of a list was seen; a hint that drifted only where no equal copy could be meant."""
        raw = jobs[index].raw
        hint = len(jobs) - 1 - index + (drift if jobs.count(jobs[index]) == 1 else 0)
        return Address(place, len(raw), digest(raw), hint, worker=worker or None)

    def delayed_address(self, pick: int, drift: int) -> tuple[ModelJob, Address]:
        """One of the delayed jobs, and where it was seen."""
        jobs = self.places.delayed_in_order()
        job = around(jobs, pick)
        hint = jobs.index(job) + drift
        return job, Address("delayed", len(job.raw), digest(job.raw), hint, score=self.scores[job.raw])

    def is_repeated(self, act_id: str, code: Code, repeat: Repeat | None) -> bool:
        """Whether an act got the first answer of its id, as it must where there was one."""
        first = self.places.acts.get(act_id)
        if first is None:
            assert code is not Code.REPEATED
            return False
        assert code is Code.REPEATED
        assert repeat is not None
        assert (repeat.by, repeat.code, repeat.count) == ("ann", *first)
        return True

    def remember(self, act_id: str, code: str, count: int) -> None:
        """An act was answered."""
        if act_id:
            self.places.acts[act_id] = (code, count)

    # What holds after every step

    @invariant()
    def every_key_is_as_the_model_says(self) -> None:
        """I1 to I5 and I8, and at most one event a call."""
        *lists, delayed, beats, trash, event_count, keys = self.bench.look()
        pending, dead, *held = lists
        scored = list(pairs(delayed))
        self.scores = dict(scored)
        trashed = [(entry_id.decode(), fields[1]) for entry_id, fields in trash]
        self.check_places(pending, dead, held, scored, trashed)
        self.check_conservation()
        assert dict(pairs(beats)) == self.places.beats
        self.check_workers()
        self.check_events(event_count)
        assert [key for key in keys if not OWN_KEY.fullmatch(key)] == []

    def check_places(
        self, pending: Any, dead: Any, held: list[Any], delayed: Any, trashed: list[tuple[str, bytes]]
    ) -> None:
        """Every byte and every order is what the model says."""
        places = self.places
        assert pending == raws(places.pending)
        assert dead == raws(places.dead)
        for worker, listed in zip(WORKERS, held, strict=True):
            assert listed == raws(places.of(worker)), worker
        expected = [(job.raw, places.delayed[job]) for job in places.delayed_in_order()]
        assert [(raw, float(score)) for raw, score in delayed] == expected
        assert trashed == [(entry.id, entry.job.raw) for entry in places.trash]

    def check_conservation(self) -> None:
        """I1: what was accepted is there once, or was acknowledged after a run, or purged."""
        places = self.places
        held = [job for _, jobs in places.lists() for job in jobs]
        trashed = [entry.job for entry in places.trash]
        there = [*places.pending, *places.dead, *places.delayed, *held, *trashed]
        assert Counter(job.name for job in there) + places.acked + places.purged == places.accepted

    def check_workers(self) -> None:
        """I3 and I5."""
        for worker, hand in self.hands.items():
            listed = self.places.of(worker)
            assert hand.holds_what_is_listed(listed), f"{worker!r} does not hold what is listed"
            is_watched = worker in self.places.beats or worker in self.orphans
            assert is_watched or not listed, f"nobody will look for {worker!r}"

    def check_events(self, count: int) -> None:
        """A move is told with one event, anything else with none or one."""
        written = count - self.events_before
        assert int(self.event) <= written <= self.calls, "not one event for each call that moves jobs"
        self.events_before, self.calls, self.event = count, 0, False

    def teardown(self) -> None:
        """I8: at the end the listener tells which keys scripts touched."""
        assert self.bench.undeclared() == []


def around(things: Sequence[Any], pick: int) -> Any:
    """One of them, counted round."""
    return things[pick % len(things)]


def raws(jobs: Sequence[ModelJob]) -> list[bytes]:
    """Their bytes."""
    return [job.raw for job in jobs]


def act(act_id: str) -> Act:
    """An operator's act."""
    return Act("ann", act_id)
