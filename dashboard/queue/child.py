"""The inside of a supervised child process: one loop, without a single beat of its own.

Owns: the child from the fork to its exit, its orders, and what becomes of it when its parent dies. Refuses:
to begin before its parent has beaten for it, and to return into the code that forked it.

A job may end the process too, with any exit code. So the parent goes by what the slot says of the end.

Orders come through a pipe from the parent: the worker's name, GO, then perhaps STOP. The pipe's end is the
parent's death: the child claims no more then, beats for itself until its job is settled, retires, and leaves.
Without a GO it only retires: the parent may have died after its first beat.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from dashboard.queue.assignment import Assignment
from dashboard.queue.connections import ClientFactory, Connections
from dashboard.queue.errors import BadHandler, QueueError
from dashboard.queue.forked import part_from_forks
from dashboard.queue.handler import flush_streams, load
from dashboard.queue.heartbeat import BeatThread, Heartbeat
from dashboard.queue.job_loop import GivenUp, JobLoop
from dashboard.queue.keys import readable
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.wakeup import HEARD

log = logging.getLogger(__name__)

GO: Final = b"g"
STOP: Final = b"s"

EXIT_DONE: Final = 0
EXIT_FAULT: Final = 70
"""The loop itself failed: a fault of this library, or of the machine."""
EXIT_GIVEN_UP: Final = 75
"""The server was away for the whole grace."""
EXIT_BAD_HANDLER: Final = 78
"""The handler cannot be used; the slot's last words say why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What every child of a supervisor is to do. See `Supervisor` for the meaning of each."""

    factory: ClientFactory
    assignment: Assignment
    handler_path: str
    batch: int
    block_seconds: float
    grace_seconds: float
    defaults: Policy
    time_limit_seconds: float | None = None


def live(
    plan: Plan, heartbeats: Sequence[Heartbeat], orders: int, pen: int, forget: Callable[[], None]
) -> NoReturn:
    """Be the child, from right after the fork to the exit of the process.

    `heartbeats` are its own, one for each queue; `orders` is its end of the pipe, `pen` its parent's;
    `forget` closes what else it must not keep.
    """
    code, slot = EXIT_FAULT, heartbeats[0].slot
    try:
        os.close(pen)
        forget()
        code = _Child(plan, heartbeats, orders).run()
        slot.has_left = True
    except BadHandler as error:
        slot.last_words = str(error)
        code = EXIT_BAD_HANDLER
    except GivenUp:
        code = EXIT_GIVEN_UP
        slot.has_left = True
    except BaseException:
        log.exception("the loop of worker %s failed", readable(heartbeats[0].worker))
    finally:
        # Not sys.exit: the stack above belongs to the parent.
        flush_streams()
        os._exit(code)


class _Child:
    def __init__(self, plan: Plan, heartbeats: Sequence[Heartbeat], orders: int) -> None:
        self._plan, self._heartbeats, self._orders = plan, heartbeats, orders
        self._began_at = time.monotonic()
        self._own_beats: list[BeatThread] = []
        self._signals = _listen_to_signals()

    def run(self) -> int:
        """Wait for the parent's GO, work, and return the exit code."""
        plan = self._plan
        name = os.read(self._orders, int.from_bytes(os.read(self._orders, 1)))
        for heartbeat in self._heartbeats:
            heartbeat.worker, heartbeat.pid = name, os.getpid()
        self._connections = Connections(plan.factory)
        with suppress(FileNotFoundError):
            # A folder that was removed meanwhile has no handler in it.
            if (here := str(Path.cwd())) not in sys.path:
                sys.path.insert(0, here)
        handler = load(plan.handler_path)
        if os.read(self._orders, 1) != GO:
            if name:
                self._retire()
            return EXIT_DONE
        self._loop = JobLoop(
            self._connections, plan.assignment, name, handler, [one.slot for one in self._heartbeats],
            batch=plan.batch, defaults=plan.defaults, block_seconds=plan.block_seconds,
            grace_seconds=plan.grace_seconds, time_limit_seconds=plan.time_limit_seconds,
        )  # fmt: skip
        orders = threading.Thread(target=self._follow_orders, name="watchkeeper-orders", daemon=True)
        orders.start()
        self._loop.run()
        if self._is_alone():
            # The loop may be quicker than the start of the beats, and none may come after the farewell.
            orders.join()
            for beats in self._own_beats:
                beats.stop()
            self._retire()
        return EXIT_DONE

    def _follow_orders(self) -> None:
        try:
            self._follow_each()
        except OSError as error:
            # A job closed the pipes. Who cannot be told to stop, nor of its parent's death, must not go on.
            log.error("worker %s leaves, it hears no orders: %s", readable(self._heartbeats[0].worker), error)
            self._loop.stop()

    def _follow_each(self) -> None:
        while True:
            ready, _, _ = select.select([self._orders, self._signals], [], [])
            if self._signals in ready:
                numbers = os.read(self._signals, 64)
                if signal.SIGUSR1 in numbers:
                    self._heartbeats[0].slot.quiet()
                if signal.SIGTERM in numbers:
                    self._loop.stop()
            if self._orders in ready:
                order = os.read(self._orders, 1)
                self._loop.stop()
                if order != STOP:
                    self._beat_alone()
                    return

    def _is_alone(self) -> bool:
        """Tell whether the parent is dead, also while orders wait to be read: the pipe has no pen."""
        poll = select.poll()
        poll.register(self._orders, 0)
        return bool(poll.poll(0))

    def _beat_alone(self) -> None:
        """The parent is dead: beat until the loop has settled what it holds."""
        for heartbeat in self._heartbeats:
            heartbeat.started_at = heartbeat.slot.server_time(self._began_at)
            beats = BeatThread(heartbeat, self._connections.of(heartbeat.queue), self._plan.defaults)
            beats.start()
            self._own_beats.append(beats)

    def _retire(self) -> None:
        for heartbeat in self._heartbeats:
            try:
                Scripts(self._connections.of(heartbeat.queue).command()).retire(
                    heartbeat.queue, heartbeat.worker, token=heartbeat.token, why="supervisor died"
                )
            except QueueError as error:
                log.warning("worker %s could not retire: %s", readable(heartbeat.worker), error)


def _listen_to_signals() -> int:
    """Catch SIGTERM, SIGUSR1 and SIGINT and return the pipe that tells of them.

    SIGINT is caught and passed over: a terminal sends it to the whole group, and the parent decides. Handlers
    that do nothing keep them from interrupting the job; whatever the job executes gets the defaults back.
    """
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    part_from_forks()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
    return told
