"""The supervisor: a parent that forks children, beats for them, and cleans up after each at once.

Owns: one queue's child processes on this machine, their beats, signals, restarts and the end. Refuses:
threads, and to run a job itself: not even one that holds the interpreter's lock holds up a beat.
"""

from __future__ import annotations

import logging
import os
import signal
import time

from dashboard.queue import backoff
from dashboard.queue.child import Plan
from dashboard.queue.closing import Closing
from dashboard.queue.connections import ClientFactory, Connections
from dashboard.queue.departure import Departure, Route
from dashboard.queue.errors import BadHandler, QueueError, ServerAway
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.offspring import Ended, Offspring
from dashboard.queue.policy import Policy
from dashboard.queue.preflight import check_server
from dashboard.queue.registry import Registration
from dashboard.queue.restarts import Restarts
from dashboard.queue.scripts import Scripts
from dashboard.queue.wakeup import Wakeup

log = logging.getLogger(__name__)

EXIT_STOPPED = 0
EXIT_CHILDREN_KEEP_DYING = 70

UNBLOCK_SECONDS = 0.1
"""How often an idle child that is to stop is woken from its claim."""
IDLE_SECONDS = 1.0
"""The longest sleep: nothing depends on it."""


class Supervisor:
    """Runs `handler_path` ("module:function") for the jobs of one queue in `processes` children.

    `batch` jobs are claimed and acknowledged in one round trip. On SIGTERM or SIGINT children finish their
    running job within `grace_seconds`; what is left is given back unharmed. A second signal ends them at
    once. `run` belongs in the main thread of a process without other threads.
    """

    def __init__(
        self,
        factory: ClientFactory,
        queue: bytes | str,
        handler_path: str,
        *,
        processes: int = 1,
        batch: int = 1,
        grace_seconds: float = 20.0,
        block_seconds: float = 1.0,
        defaults: Policy | None = None,
    ) -> None:
        self._defaults = defaults or Policy()
        self._q = QueueKeys(queue)
        self._name = readable(self._q.queue)
        self._plan = Plan(factory, self._q, handler_path, batch, block_seconds, grace_seconds, self._defaults)
        self._processes = processes
        self._connections = Connections(factory)
        self._children: list[Offspring] = []
        self._departures: list[Departure] = []
        self._restarts = Restarts()
        self._registration = Registration(self._q)
        self._fork_at = self._beat_at = self._depart_at = self._unblock_at = 0.0
        self._away_count, self._is_checked, self._closing = 0, False, Closing(grace_seconds)
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
                self._beat_at = 0.0
        now = time.monotonic()
        if not self._closing.has_begun and now >= self._fork_at:
            self._fork_missing()
        if now >= self._depart_at:
            self._see_off()
        if now >= self._beat_at:
            self._beat_all()
        if self._closing.has_begun:
            self._press(now)
        for number in self._wakeup.wait(self._seconds_to_next()):
            if number in (signal.SIGTERM, signal.SIGINT):
                self._stop()

    def _is_over(self) -> bool:
        if not self._closing.has_begun or self._children:
            return False
        return not self._departures or self._closing.has_given_up(time.monotonic())

    def _seconds_to_next(self) -> float:
        now = time.monotonic()
        due = [self._beat_at, self._closing.next_due(now)]
        if not self._closing.has_begun and len(self._children) < self._processes:
            due.append(self._fork_at)
        if self._departures:
            due.append(self._depart_at)
        if self._closing.has_begun and not self._closing.grace_is_over(now):
            due.append(self._unblock_at)
        return min(IDLE_SECONDS, max(0.0, min(due) - now))

    # Children

    def _fork_missing(self) -> None:
        while len(self._children) < self._processes:
            try:
                self._children.append(Offspring.fork(self._plan, self._forget_in_child))
            except OSError as error:
                log.error("no child process: %s", error)
                self._fork_at = time.monotonic() + IDLE_SECONDS
                return
            self._beat_at = 0.0

    def _forget_in_child(self) -> None:
        """Close in a fresh child what is its parent's: a sibling's pipe would hide the parent's death."""
        self._wakeup.close()
        for sibling in self._children:
            sibling.close()
        self._connections.close()

    def _bury(self, child: Offspring, ended: Ended) -> None:
        self._children.remove(child)
        child.close()
        slot = child.heartbeat.slot
        left = child.was_ended_by_us or slot.has_left
        if slot.beat_at:
            self._departures.append(
                Departure(
                    child.heartbeat, Route.LEFT if left else Route.CRASHED, str(ended),
                    block_seconds=self._plan.block_seconds, defaults=self._defaults,
                )
            )  # fmt: skip
            self._depart_at = 0.0
        if self._closing.has_begun or slot.has_left:
            return
        log.warning("child %d of queue %s ended: %s", child.pid, self._name, ended)
        if slot.last_words:
            self._bad_handler = slot.last_words
            self._stop()
            return
        self._restarts.note_death(
            time.monotonic() - child.forked_at,
            finished_one=slot.has_finished_one,
            ran_suspect=bool(slot.busy_since) and slot.runs_suspect,
        )
        self._fork_at = time.monotonic() + self._restarts.pause_seconds
        if self._restarts.is_hopeless:
            log.error("queue %s: %d children in a row died", self._name, self._restarts.quick_count)
            self._exit_code = EXIT_CHILDREN_KEEP_DYING
            self._stop()

    # Redis

    def _beat_all(self) -> None:
        """Beat for every child that runs, and let those begin that wait for it."""
        try:
            client = self._connections.beat()
            if not self._is_checked:
                check_server(client)
                self._is_checked = True
            policy = Policy.read(client, self._q, self._defaults)
            self._registration.renew(client)
            now, scripts = time.monotonic(), Scripts(client)
            for child in self._children:
                if child.is_frozen or child.heartbeat.slot.is_wedged(now, policy.stale_after_seconds):
                    continue
                child.heartbeat.beat(scripts)
                if not child.has_go and not self._closing.has_begun:
                    child.give_go()
            self._away_count, pause = 0, policy.beat_seconds
        except QueueError as error:
            if not self._is_checked and not isinstance(error, ServerAway):
                raise
            pause = self._note_trouble(error)
        self._beat_at = time.monotonic() + pause

    def _see_off(self) -> None:
        """Give back what dead children held."""
        pause = UNBLOCK_SECONDS
        for departure in list(self._departures):
            try:
                if departure.attempt(self._connections.beat()):
                    self._departures.remove(departure)
            except QueueError as error:
                pause = self._note_trouble(error)
                if isinstance(error, ServerAway):
                    break
        self._depart_at = time.monotonic() + pause

    def _note_trouble(self, error: QueueError) -> float:
        self._away_count += 1
        log.warning("supervisor of queue %s: %s", self._name, error)
        return backoff.pause_seconds(self._away_count)

    # The end

    def _stop(self) -> None:
        log.info("supervisor of queue %s %s", self._name, self._closing.begin(time.monotonic()))
        for child in self._children:
            child.ask_to_stop()

    def _press(self, now: float) -> None:
        """Wake children that wait for a job; end those that outlast the grace."""
        if self._closing.grace_is_over(now):
            for child in self._children:
                if not child.was_ended_by_us:
                    child.end()
        elif now >= self._unblock_at:
            self._unblock_at = now + UNBLOCK_SECONDS
            try:
                for child in self._children:
                    child.wake(self._connections.beat())
            except QueueError:
                # The claim ends by itself within its block time.
                return

    def _end_all(self) -> None:
        """Leave no child behind when the loop itself fails."""
        for child in self._children:
            child.end()
            os.waitpid(child.pid, 0)
            child.close()
