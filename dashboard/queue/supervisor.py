"""The supervisor: a parent that forks children, beats for them, and cleans up after each at once.

Owns: the child processes for one queue or several on this machine, their signals, restarts and the end.
Refuses: threads, and to run a job itself: not even one that holds the interpreter's lock holds up a beat.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import time
from collections.abc import Sequence

from dashboard.queue.assignment import Assignment
from dashboard.queue.child import Plan
from dashboard.queue.closing import Closing
from dashboard.queue.connections import ClientFactory, Connections
from dashboard.queue.departures import Departures
from dashboard.queue.errors import BadHandler, QueueError
from dashboard.queue.offspring import Ended, Offspring
from dashboard.queue.policy import Policy
from dashboard.queue.restarts import Restarts
from dashboard.queue.rounds import Rounds
from dashboard.queue.time_limit import checked, sentence
from dashboard.queue.wakeup import Wakeup

log = logging.getLogger(__name__)

EXIT_STOPPED = 0
EXIT_CHILDREN_KEEP_DYING = 70

UNBLOCK_SECONDS = 0.1
"""How often an idle child that is to stop is woken from its claim."""
IDLE_SECONDS = 1.0
"""The longest sleep: nothing depends on it."""


class Supervisor:
    """Runs `handler_path` ("module:function") for the jobs of one queue or several in `processes` children.

    Each child serves all of `queue`: one, or several with the highest priority first. A lower one gets a
    turn when all above it are empty, or, with `weights`, its share of the jobs. `batch` jobs are claimed
    and acknowledged in one round trip. On SIGTERM or SIGINT children finish their running job within
    `grace_seconds`; what is left is given back unharmed. A second signal ends them at once. On SIGUSR1 they
    claim no more and stay, finished with what they hold, until a signal ends them. A job that runs for longer
    than `time_limit_seconds` fails with TimeLimitExceeded; a child that lets it run on is ended. `run`
    belongs in the main thread of a process without other threads. Raises BadAssignment, BadName, ReservedName
    and BadTimeLimit.
    """

    def __init__(
        self,
        factory: ClientFactory,
        queue: bytes | str | Sequence[bytes | str],
        handler_path: str,
        *,
        weights: Sequence[int] | None = None,
        processes: int = 1,
        batch: int = 1,
        grace_seconds: float = 20.0,
        block_seconds: float = 1.0,
        time_limit_seconds: float | None = None,
        defaults: Policy | None = None,
    ) -> None:
        self._defaults = defaults or Policy()
        assignment = Assignment.of(queue, weights)
        self._names = assignment.names
        self._plan = Plan(
            factory, assignment, handler_path, batch, block_seconds, grace_seconds, self._defaults,
            checked(time_limit_seconds),
        )  # fmt: skip
        self._processes = processes
        self._connections = Connections(factory)
        for one in assignment.queues:
            # Refuses a name without a hash tag where the server is a cluster.
            self._connections.of(one)
        self._children: list[Offspring] = []
        self._departures = Departures(block_seconds, self._defaults, time_limit_seconds)
        self._restarts = Restarts()
        self._rounds = Rounds(assignment.queues, self._connections, self._defaults)
        self._fork_at = self._unblock_at = 0.0
        self._is_quiet, self._wake_until = False, 0.0
        self._closing = Closing(grace_seconds)
        self._exit_code, self._bad_handler = EXIT_STOPPED, ""

    def run(self) -> int:
        """Work until a signal, and return the exit code: 0, or 70 when children keep dying.

        Raises BadHandler when the children cannot load the handler, and ServerRefused for a server that is
        too old or does not let us in.
        """
        self._wakeup = Wakeup()
        try:
            while not self._is_over():
                self._turn()
        finally:
            self._end_all()
            self._wakeup.close()
            self._connections.close()
        if self._bad_handler:
            raise BadHandler(self._bad_handler)
        return self._exit_code

    def _turn(self) -> None:
        """Do what is due, then sleep until something happens or the next thing is due."""
        for child in list(self._children):
            was_frozen = child.is_frozen
            ended = child.look()
            if ended is not None:
                self._bury(child, ended)
            elif was_frozen and not child.is_frozen:
                self._rounds.hurry()
        now = time.monotonic()
        if not self._closing.has_begun and now >= self._fork_at:
            self._fork_missing()
        if self._departures and now >= self._departures.due_at:
            self._departures.attempt(self._connections)
        self._rounds.beat(self._children)
        for child in self._children:
            if child.is_beaten_for and not child.has_go and not self._closing.has_begun:
                child.give_go()
        self._end_overdue(now)
        if self._closing.grace_is_over(now):
            self._end_the_rest()
        elif self._wants_waking(now) and now >= self._unblock_at:
            self._wake_idle(now)
        for number in self._wakeup.wait(self._seconds_to_next()):
            if number in (signal.SIGTERM, signal.SIGINT):
                self._stop()
            elif number == signal.SIGUSR1:
                self._be_quiet()

    def _is_over(self) -> bool:
        if not self._closing.has_begun or self._children:
            return False
        return not self._departures or self._closing.has_given_up(time.monotonic())

    def _seconds_to_next(self) -> float:
        now = time.monotonic()
        due = [self._closing.next_due(now), self._rounds.due_at]
        if not self._closing.has_begun and len(self._children) < self._processes:
            due.append(self._fork_at)
        if self._departures:
            due.append(self._departures.due_at)
        if self._wants_waking(now):
            due.append(self._unblock_at)
        limit = self._plan.time_limit_seconds or math.inf
        due += [child.overdue_at(limit) for child in self._children]
        return min(IDLE_SECONDS, max(0.0, min(due) - now))

    # Children

    def _fork_missing(self) -> None:
        while len(self._children) < self._processes:
            try:
                self._children.append(Offspring.fork(self._plan, self._forget_in_child))
                if self._is_quiet:
                    self._children[-1].slot.quiet()
            except OSError as error:
                log.error("no child process: %s", error)
                self._fork_at = time.monotonic() + IDLE_SECONDS
                return
            self._rounds.hurry()

    def _forget_in_child(self) -> None:
        """Close in a fresh child what is its parent's: a sibling's pipe would hide the parent's death."""
        self._wakeup.close()
        for sibling in self._children:
            sibling.close()
        self._connections.close()

    def _bury(self, child: Offspring, ended: Ended) -> None:
        self._children.remove(child)
        child.close()
        slot = child.slot
        self._departures.add(child, str(ended))
        if self._closing.has_begun or slot.has_left:
            return
        if child.overdue_since:
            self._fork_at = 0.0
            return
        log.warning("child %d of queue %s ended: %s", child.pid, self._names, ended)
        if slot.last_words:
            self._bad_handler = slot.last_words
            self._stop()
            return
        self._restarts.note_death(
            time.monotonic() - child.forked_at,
            finished_one=slot.has_finished_one,
            ran_suspect=bool(slot.running_since) and slot.runs_suspect,
        )
        self._fork_at = time.monotonic() + self._restarts.pause_seconds
        if self._restarts.is_hopeless:
            log.error("queue %s: %d children in a row died", self._names, self._restarts.quick_count)
            self._exit_code = EXIT_CHILDREN_KEEP_DYING
            self._stop()

    def _end_overdue(self, now: float) -> None:
        """End those whose job goes on although it was told to stop."""
        limit = self._plan.time_limit_seconds or math.inf
        for child in self._children:
            if now >= child.overdue_at(limit):
                log.warning("child %d is ended: its job is %s and goes on", child.pid, sentence(limit))
                child.end_overdue()

    def _be_quiet(self) -> None:
        log.info("supervisor of queue %s is quiet: it claims no more", self._names)
        self._is_quiet, self._wake_until = True, time.monotonic() + self._plan.block_seconds + IDLE_SECONDS
        for child in self._children:
            child.slot.quiet()
        # So that the next beats tell.
        self._rounds.hurry()

    def _wants_waking(self, now: float) -> bool:
        if self._closing.has_begun:
            return not self._closing.grace_is_over(now)
        return now < self._wake_until

    def _wake_idle(self, now: float) -> None:
        """Wake children that wait for a job: they are to look up."""
        self._unblock_at = now + UNBLOCK_SECONDS
        try:
            for child in self._children:
                child.wake(self._connections)
        except QueueError:
            # The claim ends by itself within its block time.
            return

    # The end

    def _stop(self) -> None:
        log.info("supervisor of queue %s %s", self._names, self._closing.begin(time.monotonic()))
        for child in self._children:
            child.ask_to_stop()

    def _end_the_rest(self) -> None:
        """End those that outlast the grace."""
        for child in self._children:
            if not child.was_ended_by_us:
                child.end()

    def _end_all(self) -> None:
        """Leave no child behind when the loop itself fails."""
        for child in self._children:
            child.end()
            os.waitpid(child.pid, 0)
            child.close()
