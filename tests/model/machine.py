"""The state machine: all rules together, with producers, time, and what Redis may forget."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from dashboard.queue.answers import Code
from dashboard.queue.keys import SETTLED, worker_field
from tests.model.bench import WORKERS, Bench
from tests.model.ending_rules import EndingRules
from tests.model.ground import PICK, raws
from tests.model.janitor_rules import JanitorRules
from tests.model.jobs import BAD, READABLE, ModelJob
from tests.model.operator_rules import OperatorRules
from tests.model.places import MAX_ATTEMPTS_DEFAULT

KIND = st.sampled_from(["last", "last", *READABLE, "bad"])


class QueueMachine(EndingRules, JanitorRules, OperatorRules):
    """One queue under everything that may happen to it."""

    @initialize(
        kinds=st.lists(KIND, min_size=4, max_size=8), are_equal=st.booleans(), claimed=st.integers(1, 4)
    )
    def begin(self, kinds: list[str], are_equal: bool, claimed: int) -> None:
        """Two workers and some jobs: most of what may happen needs them."""
        self.enqueue(kinds, are_equal)
        self.start(0)
        self.start(0)
        for hand in self.live():
            self.claims(hand, claimed)

    def jobs(self, kinds: list[str], is_known: bool) -> list[ModelJob]:
        """Fresh jobs; `is_known`: with bytes that others have or had already."""
        jobs = []
        for kind in kinds:
            self.numbers += not is_known
            jobs.append(ModelJob.fresh(kind, self.numbers % (len(BAD) if kind == "bad" else 1_000_000)))
        return jobs

    @rule(kinds=st.lists(KIND, min_size=1, max_size=4), is_known=st.booleans())
    def enqueue(self, kinds: list[str], is_known: bool) -> None:
        """New jobs, readable or not, equal ones among them."""
        jobs = self.jobs(kinds, is_known)
        answer = self.scripts.enqueue(self.q, raws(jobs))
        self.places.enqueue(jobs)
        assert (answer.code, answer.count) == (Code.ENQUEUED, len(jobs))

    @rule(
        kinds=st.lists(KIND, min_size=1, max_size=3),
        is_known=st.booleans(),
        seconds=st.sampled_from([0, 5, 40]),
    )
    def enqueue_at(self, kinds: list[str], is_known: bool, seconds: int) -> None:
        """New delayed jobs; bytes that are delayed already are reported."""
        jobs = self.jobs(kinds, is_known)
        answer = self.scripts.enqueue_at(self.q, [(job.raw, f"+{seconds}") for job in jobs])
        stored = [self.places.enqueue_at(job, self.now + seconds) for job in jobs]
        assert (answer.code, answer.count) == (Code.ENQUEUED, sum(stored))
        assert answer.conflicts == [place for place, is_stored in enumerate(stored) if not is_stored]

    @rule(seconds=st.sampled_from([0.25, 5.0, 16.0]))
    def tick(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds

    @rule(
        what=st.sampled_from(["scripts", "heartbeat", "odd heartbeat", "settle record", "records"]), pick=PICK
    )
    def forget(self, what: str, pick: int) -> None:
        """What Redis, or somebody else in it, may do to a queue."""
        {
            "scripts": lambda _: self.client.script_flush(),
            "heartbeat": self.lose_a_heartbeat,
            "odd heartbeat": self.write_an_odd_heartbeat,
            "settle record": self.lose_a_settle_record,
            "records": self.lose_all_records,
        }[what](WORKERS[pick % len(WORKERS)])

    def lose_a_heartbeat(self, worker: bytes) -> None:
        """A reaper in two steps, or a server that lost writes: a list without a heartbeat."""
        self.client.hdel(self.q.heartbeats, worker)
        if self.places.beats.pop(worker, None):
            self.orphans.add(worker)

    def write_an_odd_heartbeat(self, worker: bytes) -> None:
        """A foreign worker of that name writes milliseconds."""
        self.places.beats[worker] = b"%d" % (self.now * 1000)
        self.orphans.discard(worker)
        self.client.hset(self.q.heartbeats, worker, self.places.beats[worker])

    def lose_a_settle_record(self, worker: bytes) -> None:
        """What tells whether a settle happened."""
        self.client.hdel(self.q.workers, worker_field(SETTLED, worker))
        self.places.settled.pop(worker, None)

    def lose_all_records(self, _: bytes) -> None:
        """Every key of our own but the trash: none of them decides where a job is."""
        q, places = self.q, self.places
        acts = [q.act(act_id) for act_id in places.acts]
        self.client.delete(q.policy, q.workers, q.watch, q.events, q.stats, q.samples, *acts)
        places.max_attempts, places.paused = MAX_ATTEMPTS_DEFAULT, False
        for known in (places.tokens, places.settled, places.watches, places.acts):
            known.clear()
        self.events_before = 0


def run_machine(bench: Bench, runs: settings) -> None:
    """Run the machine on one server. What fails is raised with the steps that lead to it."""
    # Hypothesis wants a class but only calls it.
    make: Any = partial(QueueMachine, bench)
    run_state_machine_as_test(make, settings=runs)
