"""A supervisor's view of one child process: forked, watched, given orders.

Owns: the fork, the pipe of orders, and what the kernel says of the process. Refuses: Redis.
"""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.queue.child import GO, STOP, Plan, live
from dashboard.queue.connections import Connections
from dashboard.queue.errors import translated
from dashboard.queue.heartbeat import Heartbeat, heartbeats
from dashboard.queue.keys import default_worker_name
from dashboard.queue.slot import Slot
from dashboard.queue.time_limit import MARGIN_SECONDS
from dashboard.queue.wakeup import HEARD


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: by exit code, or by the signal of that number."""

    exit_code: int | None
    signal_number: int | None

    def __str__(self) -> str:
        if self.signal_number is None:
            return f"exit code {self.exit_code}"
        try:
            return signal.Signals(self.signal_number).name
        except ValueError:
            return f"signal {self.signal_number}"


class Offspring:
    """One child process and all that its parent knows of it."""

    def __init__(self, pid: int, heartbeats: Sequence[Heartbeat], pen: int) -> None:
        self.pid, self.heartbeats, self._pen = pid, heartbeats, pen
        self.forked_at = time.monotonic()
        self.has_go = False
        self.is_frozen = False
        self.was_ended_by_us = False
        self.overdue_since = 0.0
        """When the job began for which it was ended, over its time limit; 0.0 otherwise."""

    @property
    def slot(self) -> Slot:
        """What its loop says of itself; of one queue each heartbeat's slot tells."""
        return self.heartbeats[0].slot

    @property
    def is_beaten_for(self) -> bool:
        """It has a heartbeat in one of its queues; in the others it claims nothing before it has one."""
        return any(one.slot.beat_at for one in self.heartbeats)

    @classmethod
    def fork(cls, plan: Plan, forget: Callable[[], None]) -> Offspring:
        """Fork a child under a fresh name. `forget` runs in it first: it closes what is the parent's alone.

        Raises OSError when no process can be had. The caller has no threads.
        """
        beats = heartbeats(plan.assignment.queues, b"", "supervised")
        orders, pen = os.pipe()
        # A signal between the fork and the child's own handlers would be taken for one to the parent.
        signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
        try:
            pid = os.fork()
            if pid == 0:
                live(plan, beats, orders, pen, forget)
        except OSError:
            os.close(pen)
            raise
        finally:
            os.close(orders)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
        name = default_worker_name(pid)
        for one in beats:
            one.pid, one.worker = pid, name
        child = cls(pid, beats, pen)
        child._order(bytes([len(name)]) + name)
        return child

    def give_go(self) -> None:
        """Let it begin. It has been beaten for."""
        self._order(GO)
        self.has_go = True

    def ask_to_stop(self) -> None:
        """Let it claim no more and leave after its running job."""
        if self.has_go:
            self._order(STOP)
        else:
            self.close()

    def wake(self, connections: Connections) -> None:
        """Wake it from a claim that waits for a job. Raises ServerError."""
        for one in self.heartbeats:
            if one.slot.client_id and not one.slot.running_since:
                with translated():
                    connections.of(one.queue).beat().client_unblock(one.slot.client_id)

    def end(self) -> None:
        """SIGKILL, frozen or not."""
        self.was_ended_by_us = True
        self.signal(signal.SIGKILL)

    def overdue_at(self, time_limit_seconds: float) -> float:
        """When its running job is so far over its limit that nothing but an end will do; infinity without."""
        since = self.slot.running_since
        return since + time_limit_seconds + MARGIN_SECONDS if since and not self.was_ended_by_us else math.inf

    def end_overdue(self) -> None:
        """End it for its running job."""
        self.overdue_since = self.slot.running_since
        self.end()

    def signal(self, number: int) -> None:
        """Send it a signal; it has not been waited for, so the number is surely its own."""
        os.kill(self.pid, number)

    def look(self) -> Ended | None:
        """Ask the kernel what happened since the last look; return how it ended, None while it lives."""
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
            if pid == 0:
                return None
            if os.WIFSTOPPED(status):
                self.is_frozen = True
            elif os.WIFCONTINUED(status):
                self.is_frozen = False
            elif os.WIFSIGNALED(status):
                return Ended(None, os.WTERMSIG(status))
            else:
                return Ended(os.WEXITSTATUS(status), None)

    def close(self) -> None:
        """Close the parent's end of the pipe. Safe to call again."""
        pen, self._pen = self._pen, -1
        if pen >= 0:
            os.close(pen)

    def _order(self, order: bytes) -> None:
        try:
            os.write(self._pen, order)
        except OSError:
            # It has just died, which the kernel will tell.
            return
