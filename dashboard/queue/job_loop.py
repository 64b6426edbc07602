"""The loop of a worker: which of its queues gets the next turn, and how the last turn ends.

Owns: the lanes and the waits between their tasks. Refuses: beats, processes and signals; whoever runs it
beats for it, through the same slots, and tells it to stop.

With one queue every turn is one round trip: acknowledge and claim. With several the first is chosen by the
rota, each is asked without blocking, and the wait for a job is short, since it is for one of them only. A
lane that is held up keeps its task and is passed over.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from dashboard.queue.assignment import Assignment
from dashboard.queue.claim_line import ClaimLine
from dashboard.queue.connections import Connections
from dashboard.queue.handler import Handler, Runner
from dashboard.queue.keys import QueueKeys
from dashboard.queue.lane import Lane
from dashboard.queue.policy import Policy
from dashboard.queue.rota import Rota
from dashboard.queue.slot import Slot
from dashboard.queue.steps import Steps

QUIET_LOOK_SECONDS = 0.1
SWEEP_SECONDS = 0.25
"""With several queues, how long the wait for a job of one may keep the loop from looking at the others."""


class GivenUp(Exception):
    """The loop was stopped and its grace has passed; what it holds in `queues` stays in its lists there."""

    def __init__(self, queues: Sequence[QueueKeys]) -> None:
        super().__init__()
        self.queues = queues


class JobLoop:
    """One worker's loop. `run` returns after `stop`, with every job settled or given back.

    `slots` are one for each queue, in their order.
    """

    def __init__(
        self,
        connections: Connections,
        assignment: Assignment,
        worker: bytes,
        handler: Handler,
        slots: Sequence[Slot],
        *,
        batch: int = 1,
        defaults: Policy,
        block_seconds: float = 1.0,
        grace_seconds: float = 20.0,
        time_limit_seconds: float | None = None,
    ) -> None:
        queues = assignment.queues
        self._handler, self._time_limit_seconds = handler, time_limit_seconds
        self._grace_seconds = grace_seconds
        self._block_seconds = block_seconds if len(queues) == 1 else min(block_seconds, SWEEP_SECONDS)
        # What is said of the loop is common to all slots.
        self._common = slots[0]
        self._rota = Rota(len(queues), assignment.weights)
        self._lanes = [
            Lane(
                ClaimLine(connections.of(queue), queue, worker, slot, block_seconds=self._block_seconds),
                queue, worker, slot, batch=batch, is_alone=len(queues) == 1, defaults=defaults,
                is_stopping=lambda: self._stopping,
            )
            for queue, slot in zip(queues, slots, strict=True)
        ]  # fmt: skip
        self._stopping, self._stopped_at = False, 0.0

    def stop(self) -> None:
        """Claim no more, finish the running job, give back the rest of the batch, and return from `run`.

        Takes no lock, so that any thread and any signal handler may call it.
        """
        if not self._stopping:
            self._stopped_at = time.monotonic()
            self._stopping = True

    def run(self) -> None:
        """Work until told to stop. Raises GivenUp when an absent server holds it up for the grace then.

        Raises BadTimeLimit, before anything is claimed, with a limit outside the main thread.
        """
        runner = Runner(self._handler, self._time_limit_seconds)
        for lane in self._lanes:
            lane.open(runner)
        try:
            while not self._stopping:
                if self._common.is_quiet:
                    self._rest()
                else:
                    self._turn()
            self._finish()
        finally:
            for lane in self._lanes:
                lane.close()
            runner.close()

    def _turn(self) -> None:
        """Run the jobs of one queue, of the first that has some; wait for one when none has."""
        now = time.monotonic()
        order = [rank for rank in self._rota.order() if self._lanes[rank].task.may_go_on(now)]
        for rank in order:
            lane = self._lanes[rank]
            if lane.task.is_held_up:
                continue
            # Not left to the rota: such a job stands in this worker's list, where nobody else can run it.
            if lane.expects_stray and self._go_on(lane, lane.run_strays()):
                return
            # The first acknowledges and claims in one.
            if lane.owes_acks and rank != order[0]:
                self._go_on(lane, lane.settle_up())
        empty = []
        for rank in order:
            if not self._may_claim:
                return
            if job_count := self._ask(self._lanes[rank]):
                self._rota.note_served(rank, job_count)
                return
            if not self._lanes[rank].task.is_held_up:
                empty.append(rank)
        if len(empty) == len(self._lanes):
            self._rota.note_idle()
        if empty:
            self._wait_for_job(min(empty))
        else:
            _sleep_until_one_may(self._lanes)

    @property
    def _may_claim(self) -> bool:
        return not self._stopping and not self._common.is_quiet

    def _rest(self) -> None:
        """A turn without claims: settle what is in hand, and run what is found in a list."""
        self._common.pulse_at = time.monotonic()
        for lane in self._lanes:
            if not lane.task.may_go_on(time.monotonic()):
                continue
            if lane.task.is_held_up or lane.owes_acks:
                self._go_on(lane, lane.turn())
            elif lane.expects_stray:
                self._go_on(lane, lane.run_strays())
        time.sleep(QUIET_LOOK_SECONDS)

    def _ask(self, lane: Lane) -> int:
        if lane.task.is_held_up:
            job_count = self._go_on(lane)
            if job_count or lane.task.is_held_up:
                return job_count
        return self._go_on(lane, lane.turn())

    def _wait_for_job(self, rank: int) -> None:
        lane = self._lanes[rank]
        if self._may_claim and (job_count := self._go_on(lane, lane.wait_for_job(self._block_seconds))):
            self._rota.note_served(rank, job_count)

    def _go_on(self, lane: Lane, steps: Steps[int] | None = None) -> int:
        self._common.pulse_at = time.monotonic()
        return lane.task.go_on(steps)

    def _finish(self) -> None:
        """Settle or give back what is in hand, in every lane."""
        lanes = self._lanes
        while lanes := [lane for lane in lanes if not self._is_finished(lane)]:
            if time.monotonic() - self._stopped_at > self._grace_seconds:
                raise GivenUp([lane.queue for lane in lanes])
            _sleep_until_one_may(lanes)

    def _is_finished(self, lane: Lane) -> bool:
        if lane.task.may_go_on(time.monotonic()):
            self._go_on(lane)
        if not lane.task.is_held_up:
            self._go_on(lane, lane.settle_up())
        return not lane.task.is_held_up


def _sleep_until_one_may(lanes: Sequence[Lane]) -> None:
    time.sleep(max(0.0, min(lane.task.resumes_at for lane in lanes) - time.monotonic()))
