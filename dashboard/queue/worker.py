"""The embedded worker: one loop inside a process of somebody else's, with beats from a thread.

Owns: start, stop and the farewell of one loop. Refuses: signals and child processes; `Supervisor` has those,
and beats that a job cannot hold up.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

import redis

from dashboard.queue import backoff
from dashboard.queue.assignment import Assignment
from dashboard.queue.connections import Connections
from dashboard.queue.departure import Departure, Route
from dashboard.queue.errors import QueueError, ServerAway
from dashboard.queue.handler import Handler
from dashboard.queue.heartbeat import BeatThread, Heartbeat, heartbeats
from dashboard.queue.job_loop import GivenUp, JobLoop
from dashboard.queue.keys import QueueKeys, check_worker_name, default_worker_name, readable
from dashboard.queue.naming import take_name
from dashboard.queue.permissions import Part
from dashboard.queue.policy import Policy
from dashboard.queue.preflight import preflight
from dashboard.queue.registry import Registration
from dashboard.queue.scripts import Scripts
from dashboard.queue.time_limit import check_thread, checked

log = logging.getLogger(__name__)

FAREWELL_TRIES = 3
LEAVE_SECONDS, LEAVE_LOOK_SECONDS = 3.0, 0.1


class Worker:
    """Runs jobs with `handler`, in the thread that calls `run`, until `stop`.

    `queue` is one, or several with the highest priority first: a lower one gets a turn when all above it are
    empty, or, with `weights`, its share of the jobs. `name` must be one that no other live worker has; a
    fresh one is made unless given. `batch` jobs are claimed and acknowledged in one round trip.
    `grace_seconds` bounds how long an absent server can hold up the end after `stop`; the running job is
    always finished. A job that runs for longer than `time_limit_seconds` fails with TimeLimitExceeded, where
    the interpreter can raise that; nothing here ends one that goes on. It takes SIGALRM and the main thread:
    `run` refuses a limit elsewhere. A `Worker` runs once.
    """

    def __init__(
        self,
        connections: Connections,
        queue: bytes | str | Sequence[bytes | str],
        handler: Handler,
        *,
        weights: Sequence[int] | None = None,
        name: bytes | str | None = None,
        batch: int = 1,
        defaults: Policy | None = None,
        block_seconds: float = 1.0,
        grace_seconds: float = 20.0,
        time_limit_seconds: float | None = None,
    ) -> None:
        assignment = Assignment.of(queue, weights)
        self.queues = assignment.queues
        clients = {queue: connections.of(queue) for queue in self.queues}
        self.name = default_worker_name() if name is None else check_worker_name(name)
        self._is_named, self._connections, self._by_queue = name is not None, connections, clients
        self._defaults = defaults or Policy()
        self._heartbeats = heartbeats(self.queues, self.name, "embedded")
        self._beats: list[BeatThread] = []
        self._stopping, self._has_limit = False, checked(time_limit_seconds) is not None
        self._loop = JobLoop(
            connections, assignment, self.name, handler, [one.slot for one in self._heartbeats], batch=batch,
            defaults=self._defaults, block_seconds=block_seconds, grace_seconds=grace_seconds,
            time_limit_seconds=time_limit_seconds,
        )  # fmt: skip

    @property
    def is_stopping(self) -> bool:
        """`stop` has been called."""
        return self._stopping

    def stop(self) -> None:
        """Let `run` return after the running job. Safe from any thread and from signal handlers."""
        self._stopping = True
        self._loop.stop()

    def quiet(self) -> None:
        """Claim no more, finish what is in hand, and go on beating until `stop`. Safe as that is."""
        self._heartbeats[0].slot.quiet()

    def leave(self) -> None:
        """Give back what is in hand and retire although a job runs on: the process is to end right after.

        For a thread of its own. What cannot be given back within three seconds stays in the list, under a
        heartbeat that goes stale.
        """
        self.stop()
        for beats in self._beats:
            beats.stop()
        until = time.monotonic() + LEAVE_SECONDS
        for heartbeat in self._heartbeats:
            departure = Departure(heartbeat, Route.LEFT, "stopped", block_seconds=0, defaults=self._defaults)
            client = self._by_queue[heartbeat.queue].command()
            try:
                while heartbeat.slot.beat_at and not departure.attempt(client):
                    if time.monotonic() > until:
                        break
                    time.sleep(LEAVE_LOOK_SECONDS)
            except QueueError as error:
                log.warning("worker %s left without a farewell: %s", readable(self.name), error)

    def run(self) -> None:
        """Work until `stop`. Raises WorkerNameTaken, and ServerRefused when the server will not do.

        Raises BadTimeLimit, before anything else, with a time limit outside the main thread.
        """
        if self._has_limit:
            check_thread()
        self._await_server()
        if self._is_named:
            take_name(self._commands(), self.name, self._defaults, lambda: self._stopping)
        if self._stopping:
            return
        for heartbeat in self._heartbeats:
            Registration(heartbeat.queue).renew(self._connections.of_registry().command())
            self._beats.append(BeatThread(heartbeat, self._by_queue[heartbeat.queue], self._defaults))
            self._beats[-1].start()
        leaving = self._heartbeats
        try:
            self._loop.run()
        except GivenUp as given_up:
            names = ", ".join(readable(one.queue) for one in given_up.queues)
            log.warning(
                "worker %s left %s without a farewell: what it holds could not be settled there in time",
                readable(self.name), names,
            )  # fmt: skip
            leaving = [one for one in leaving if one.queue not in given_up.queues]
        finally:
            for beats in self._beats:
                beats.stop()
        for heartbeat in leaving:
            self._say_farewell(heartbeat)

    def _await_server(self) -> None:
        tries = 0
        while not self._stopping:
            try:
                preflight(self._commands(), Part.WORKER)
                return
            except ServerAway as error:
                tries += 1
                log.warning("worker %s waits: %s", readable(self.name), error)
                time.sleep(backoff.pause_seconds(tries))

    def _commands(self) -> list[tuple[redis.Redis, QueueKeys]]:
        """Return the queues, each with a client of the server that holds it."""
        return [(connections.command(), queue) for queue, connections in self._by_queue.items()]

    def _say_farewell(self, heartbeat: Heartbeat) -> None:
        """Retire. A heartbeat that stays behind only goes silent; it holds no jobs."""
        client = self._by_queue[heartbeat.queue].command()
        for tries in range(1, FAREWELL_TRIES + 1):
            try:
                Scripts(client).retire(heartbeat.queue, self.name, token=heartbeat.token)
                return
            except QueueError as error:
                log.warning("worker %s could not retire: %s", readable(self.name), error)
                time.sleep(backoff.pause_seconds(tries))
