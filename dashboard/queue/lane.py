"""One queue of a worker: claiming from it, running what was claimed, settling it.

Owns: when a claim is allowed and how many jobs it takes, the order within a batch, and what a failed job
becomes. Refuses: to choose among queues, and to sleep: its steps yield the seconds for which they are held
up, by a fence, a pause or a server without an answer, and go on where they were.

A batch never mixes queues. What is finished is acknowledged in the lane that it came from.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence

from dashboard.queue.batch import Entry, decoded, parted
from dashboard.queue.claim_line import ClaimLine
from dashboard.queue.failure import Failure, of_exception, unreadable
from dashboard.queue.fence import Fence
from dashboard.queue.handler import Runner
from dashboard.queue.job import Job, shown_id
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.slot import Slot
from dashboard.queue.steps import Steps, Task

log = logging.getLogger(__name__)

ACK_WITHIN_SECONDS = 0.25
"""In a batch of slow jobs finished ones are acknowledged this soon, so that a crash repeats few."""
PAUSED_LOOK_SECONDS = 0.5
FENCED_LOOK_SECONDS = 0.05
TURN_SECONDS = 0.25
"""With several queues a batch is to take no longer, so that a job of a higher one need not wait for it."""


class Lane:
    """One worker's way through one queue. `task` holds the one that is under way."""

    def __init__(
        self,
        line: ClaimLine,
        queue: QueueKeys,
        worker: bytes,
        slot: Slot,
        *,
        batch: int,
        is_alone: bool,
        defaults: Policy,
        is_stopping: Callable[[], bool],
    ) -> None:
        self.queue = queue
        self._line, self._worker, self._slot = line, worker, slot
        self._batch, self._is_alone = batch, is_alone
        self._is_stopping = is_stopping
        self._fence = Fence(line, slot, defaults)
        self._done: list[bytes] = []
        self._narrow, self._looks_first, self._job_seconds = False, False, TURN_SECONDS
        self._settled_at, self._emptied_at = 0.0, time.monotonic()
        self.task = Task()

    def open(self, runner: Runner) -> None:
        """Have jobs run by `runner`. Before the first task."""
        self._runner = runner

    def close(self) -> None:
        """Drop the connection; what is in hand stays in the list."""
        self.task.close()
        self._line.close()

    # What the loop asks

    @property
    def owes_acks(self) -> bool:
        """Jobs have finished that are not acknowledged yet."""
        return bool(self._done)

    @property
    def expects_stray(self) -> bool:
        """A beat that was sent after the hands were empty saw a job in the list: a claim's late delivery."""
        return bool(self._slot.listed_count) and 0.0 < self._emptied_at < self._slot.beat_at

    # Tasks

    def turn(self) -> Steps[int]:
        """A task: acknowledge and claim in one round trip, and run what was claimed.

        One of several queues that had nothing the last time is looked at without a write first.
        """
        yield from self._fence.refresh()
        if self._fence.seconds_left() <= 0:
            yield from self.settle_up()
            yield FENCED_LOOK_SECONDS
            return 0
        if self._looks_first and not self._done and not (yield from self._line.has_pending()):
            return 0
        todo, is_paused = yield from self._settle([], self._wanted_count())
        self._looks_first = not todo and not self._is_alone
        if todo:
            return (yield from self._work(todo))
        if is_paused:
            yield PAUSED_LOOK_SECONDS
        return 0

    def wait_for_job(self, seconds: float) -> Steps[int]:
        """A task: wait up to `seconds` for a job, with nothing in hand, and run it."""
        seconds = min(seconds, self._fence.seconds_left())
        todo = (yield from self._line.block(seconds)) if seconds > 0 else []
        return (yield from self._work(todo)) if todo else 0

    def run_strays(self) -> Steps[int]:
        """A task: run what the list holds with nothing in hand. A beat gave the hint, the list decides."""
        yield from self._fence.refresh()
        todo = yield from self._line.listed()
        self._emptied_at = time.monotonic()
        return (yield from self._work(todo)) if todo else 0

    def settle_up(self) -> Steps[int]:
        """A task: acknowledge what is finished, and claim nothing.

        What a doubt about that brings to light is given back at the end; otherwise it is a stray.
        """
        if self._done:
            todo, _ = yield from self._settle([], 0)
            if self._is_stopping():
                yield from self._give_back(todo)
        return 0

    def _wanted_count(self) -> int:
        if self._slot.is_quiet or self._is_stopping():
            return 0
        if self._narrow:
            return 1
        if self._is_alone:
            return self._batch
        return max(1, min(self._batch, int(TURN_SECONDS / self._job_seconds)))

    def _settle(self, rest: list[bytes], n: int) -> Steps[tuple[list[bytes], bool]]:
        done, self._done = self._done, []
        asked_at = time.monotonic()
        turn = yield from self._line.settle(done, rest, n)
        self._settled_at = time.monotonic()
        self._slot.hand_count = len(turn.todo)
        self._emptied_at = 0.0 if turn.todo else self._emptied_at or asked_at
        return turn.todo, turn.paused

    # A batch

    def _work(self, raws: Sequence[bytes]) -> Steps[int]:
        self._emptied_at, began_at = 0.0, time.monotonic()
        batch = yield from self._without_suspects(decoded(raws, self.queue.queue))
        self._slot.hand_count = len(batch)
        while batch:
            if self._is_stopping():
                yield from self._give_back([raw for raw, _ in batch])
                break
            if self._fence.seconds_left() <= 0:
                held = yield from self._held_after_fence([raw for raw, _ in batch])
                batch = decoded(held, self.queue.queue)
                continue
            raw, job = batch.popleft()
            failure = self._run(raw, job) if isinstance(job, Job) else unreadable(raw, job)
            if failure is not None:
                yield from self._put_aside(raw, failure, batch)
            now = self._slot.pulse_at = time.monotonic()
            if batch and self._done and now - self._settled_at > ACK_WITHIN_SECONDS:
                rest = [raw for raw, _ in batch]
                held, _ = yield from self._settle(rest, 0)
                if held != rest:
                    batch = decoded(held, self.queue.queue)
        if not self._done:
            self._emptied_at = time.monotonic()
        self._job_seconds = max(1e-6, (time.monotonic() - began_at) / len(raws))
        return len(raws)

    def _held_after_fence(self, rest: list[bytes]) -> Steps[list[bytes]]:
        """Start nothing until there is a beat again; return what has not been given away meanwhile.

        Settled first: a server that was away for so long may have forgotten acknowledgements, which a mere
        look would take for jobs.
        """
        while self._fence.seconds_left() <= 0 and not self._is_stopping():
            yield FENCED_LOOK_SECONDS
        yield from self._settle(rest, 0)
        return (yield from self._line.listed())

    def _without_suspects(self, batch: deque[Entry]) -> Steps[deque[Entry]]:
        """Give back what must not run in one batch; it is claimed next, one by one."""
        parts = parted(batch)
        self._narrow, self._slot.runs_suspect = parts.has_suspects, parts.runs_suspect
        yield from self._give_back(parts.given_back, [raw for raw, _ in parts.kept])
        return parts.kept

    def _give_back(self, raws: list[bytes], kept: Sequence[bytes] = ()) -> Steps[None]:
        if raws:
            yield from self._line.release(raws, [*self._done, *kept])
            self._slot.hand_count = len(kept)

    # A job

    def _run(self, raw: bytes, job: Job) -> Failure | None:
        self._slot.busy_since = time.monotonic()
        try:
            self._runner.call(job)
        except BaseException as error:
            # Also what handlers raise to leave the process: it is their job that failed, not the worker.
            self._slot.busy_since = 0.0
            failure = of_exception(
                raw, error, failed_at=self._slot.server_time(time.monotonic()), worker=self._worker,
                max_attempts=self._fence.policy.max_attempts,
            )  # fmt: skip
            log.warning("job %s failed: %s", shown_id(job.id), failure.error)
            return failure
        self._slot.busy_since = 0.0
        self._slot.has_finished_one = True
        self._done.append(raw)
        self._slot.note_done(raw)
        return None

    def _put_aside(self, raw: bytes, failure: Failure, rest: deque[Entry]) -> Steps[None]:
        others = [*self._done, *(other for other, _ in rest)]
        yield from self._line.fail(
            raw, failure.new_raw, delay_ms=failure.delay_ms, error=failure.error, others=others
        )
