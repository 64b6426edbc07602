"""The loop that claims jobs, runs them one after the other, and settles them.

Owns: when to claim and how many, the order within a batch, and what a failed job becomes. Refuses: beats,
processes and signals; whoever runs it beats for it, through the same `Slot`, and tells it to stop.
"""

from __future__ import annotations

import logging
import time
from collections import deque

from dashboard.queue import backoff
from dashboard.queue.claim_line import ClaimLine
from dashboard.queue.claims import without
from dashboard.queue.connections import Connections
from dashboard.queue.errors import UnreadableJob
from dashboard.queue.failure import Failure, of_exception, unreadable
from dashboard.queue.handler import Handler, Runner
from dashboard.queue.job import Job, decode
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.slot import Slot

log = logging.getLogger(__name__)

FENCE_SHARE = 0.75
"""Without a beat for this share of the threshold no job is claimed or begun: others may soon take it away."""
POLICY_SECONDS = 5.0
"""How old the policy that the loop goes by may be."""
ACK_WITHIN_SECONDS = 0.25
"""In a batch of slow jobs finished ones are acknowledged this soon, so that a crash repeats few."""
PAUSED_LOOK_SECONDS = 0.5
FENCED_LOOK_SECONDS = 0.05


class GivenUp(Exception):
    """The loop was stopped and its grace has passed; what it holds stays in its list."""


Entry = tuple[bytes, Job | str]
"""A claimed job: its bytes, and what they decode to or why they do not."""


class JobLoop:
    """One worker's loop. `run` returns after `stop`, with every job settled or given back."""

    def __init__(
        self,
        connections: Connections,
        queue: QueueKeys,
        worker: bytes,
        handler: Handler,
        slot: Slot,
        *,
        batch: int = 1,
        defaults: Policy,
        block_seconds: float = 1.0,
        grace_seconds: float = 20.0,
    ) -> None:
        self._q, self._worker, self._slot = queue, worker, slot
        self._batch, self._defaults = batch, defaults
        self._block_seconds, self._grace_seconds = block_seconds, grace_seconds
        self._handler = handler
        self._line = ClaimLine(connections, queue, worker, slot, self._wait, block_seconds=block_seconds)
        self._done: list[bytes] = []
        self._policy, self._policy_read_at = defaults, 0.0
        self._narrow = False
        self._settled_at = self._emptied_at = 0.0
        self._stopping, self._stopped_at = False, 0.0

    def stop(self) -> None:
        """Claim no more, finish the running job, give back the rest of the batch, and return from `run`.

        Takes no lock, so that any thread and any signal handler may call it.
        """
        if not self._stopping:
            self._stopped_at = time.monotonic()
            self._stopping = True

    def run(self) -> None:
        """Work until told to stop. Raises GivenUp when an absent server holds it up for the grace then."""
        self._runner = Runner(self._handler)
        try:
            while not self._stopping:
                self._work(self._next_batch())
            if self._done:
                self._settle([], 0)
        finally:
            self._line.close()
            self._runner.close()

    # What to do next

    def _next_batch(self) -> list[bytes]:
        """Return the jobs to run now, oldest first; [] after a pause or a block in vain."""
        now = self._slot.pulse_at = time.monotonic()
        if now - self._policy_read_at > POLICY_SECONDS:
            self._policy, self._policy_read_at = self._line.policy(self._defaults), now
        claim_for = self._seconds_to_fence()
        if claim_for <= 0:
            if self._done:
                self._settle([], 0)
            time.sleep(FENCED_LOOK_SECONDS)
            return []
        todo, paused = self._settle([], 1 if self._narrow else self._batch)
        if todo:
            return todo
        if stray := self._stray_jobs(now):
            return stray
        if paused:
            time.sleep(PAUSED_LOOK_SECONDS)
            return []
        if self._stopping:
            return []
        self._slot.pulse_at = time.monotonic()
        return self._line.block(min(self._block_seconds, claim_for))

    def _seconds_to_fence(self) -> float:
        fence_at = self._slot.beat_at + FENCE_SHARE * self._policy.stale_after_seconds
        return fence_at - time.monotonic() if self._slot.beat_at else 0.0

    def _stray_jobs(self, idle_at: float) -> list[bytes]:
        """Return jobs that the list holds although nothing is in hand: a claim's late delivery.

        A beat that was sent after the hands were empty gives the hint, the list itself decides.
        """
        if not self._emptied_at:
            self._emptied_at = idle_at
        if self._slot.listed_count and self._slot.beat_at > self._emptied_at:
            return self._line.listed()
        return []

    def _settle(self, rest: list[bytes], n: int) -> tuple[list[bytes], bool]:
        done, self._done = self._done, []
        turn = self._line.settle(done, rest, n)
        self._settled_at = time.monotonic()
        self._slot.hand_count = len(turn.todo)
        if turn.todo:
            self._emptied_at = 0.0
        return turn.todo, turn.paused

    # A batch

    def _work(self, raws: list[bytes]) -> None:
        batch = self._without_suspects(self._decoded(raws))
        self._slot.hand_count = len(batch)
        while batch:
            if self._stopping:
                self._give_back([raw for raw, _ in batch])
                return
            if self._seconds_to_fence() <= 0:
                batch = self._decoded(self._held_after_fence())
                continue
            raw, job = batch.popleft()
            if isinstance(job, Job):
                self._run(raw, job, batch)
            else:
                self._put_aside(raw, unreadable(raw, job), batch)
            now = self._slot.pulse_at = time.monotonic()
            if batch and self._done and now - self._settled_at > ACK_WITHIN_SECONDS:
                rest = [raw for raw, _ in batch]
                held, _ = self._settle(rest, 0)
                if held != rest:
                    batch = self._decoded(held)

    def _held_after_fence(self) -> list[bytes]:
        """Start nothing until there is a beat again; return what has not been given away meanwhile."""
        while self._seconds_to_fence() <= 0 and not self._stopping:
            self._slot.pulse_at = time.monotonic()
            time.sleep(FENCED_LOOK_SECONDS)
        return without(self._line.listed(), self._done)

    def _decoded(self, raws: list[bytes]) -> deque[Entry]:
        entries: deque[Entry] = deque()
        for raw in raws:
            try:
                entries.append((raw, decode(raw)))
            except UnreadableJob as error:
                entries.append((raw, str(error)))
        return entries

    def _without_suspects(self, batch: deque[Entry]) -> deque[Entry]:
        """Part the jobs that failed or crashed before from those that did not.

        A crash costs every job of the batch an attempt. So the oldest, when it is a suspect, runs alone, and
        no suspect stays in the batch of others. What is given back is claimed next, one by one.
        """
        suspects = [_is_suspect(job) for _, job in batch]
        self._narrow = any(suspects)
        self._slot.runs_suspect = bool(suspects) and suspects[0]
        if len(batch) < 2 or not self._narrow:
            return batch
        kept = [
            (entry, place == 0 if suspects[0] else not suspects[place]) for place, entry in enumerate(batch)
        ]
        self._give_back(
            [raw for (raw, _), stays in kept if not stays], [raw for (raw, _), stays in kept if stays]
        )
        return deque(entry for entry, stays in kept if stays)

    def _give_back(self, raws: list[bytes], kept: list[bytes] | None = None) -> None:
        if raws:
            self._line.release(raws, [*self._done, *(kept or [])])
            self._slot.hand_count = len(kept or [])

    # A job

    def _run(self, raw: bytes, job: Job, rest: deque[Entry]) -> None:
        self._slot.busy_since = time.monotonic()
        try:
            self._runner.call(job)
        except BaseException as error:
            # Also what handlers raise to leave the process: it is their job that failed, not the worker.
            self._slot.busy_since = 0.0
            failure = of_exception(
                raw, error, failed_at=self._slot.server_time(time.monotonic()), worker=self._worker,
                max_attempts=self._policy.max_attempts,
            )  # fmt: skip
            log.warning("job %.200r failed: %s", job.id, failure.error)
            self._put_aside(raw, failure, rest)
        else:
            self._slot.busy_since = 0.0
            self._slot.has_finished_one = True
            self._done.append(raw)

    def _put_aside(self, raw: bytes, failure: Failure, rest: deque[Entry]) -> None:
        others = [*self._done, *(other for other, _ in rest)]
        self._line.fail(raw, failure.new_raw, delay_ms=failure.delay_ms, error=failure.error, others=others)

    def _wait(self, tries: int) -> None:
        """Pause between two tries of the line; give up when the grace of a stop has passed."""
        now = self._slot.pulse_at = time.monotonic()
        if self._stopping and now - self._stopped_at > self._grace_seconds:
            raise GivenUp
        time.sleep(backoff.pause_seconds(tries))


def _is_suspect(job: Job | str) -> bool:
    return isinstance(job, Job) and job.attempts > 0
