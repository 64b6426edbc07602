"""A parent that dies at a bad moment: `python -m tests.chaos.forsaking URL` prints its child's process id.

Owns: one child, frozen before it can read its orders: go, and stop. Refuses: to be there when it wakes.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from dashboard.queue.assignment import Assignment
from dashboard.queue.child import Plan
from dashboard.queue.connections import Connections
from dashboard.queue.factory import ServerFactory
from dashboard.queue.job_loop import JobLoop
from dashboard.queue.offspring import Offspring
from dashboard.queue.scripts import Scripts
from tests.queue.running import POLICY
from tests.support.processes import state_of, wait_until

LINGER_SECONDS = 0.3


def forsake(url: str) -> int:
    """Fork a child, freeze it, beat for it, give it both orders, and return its process id."""
    stop = JobLoop.stop

    def stop_and_linger(loop: JobLoop) -> None:
        """Hold up whoever follows the orders, so that the loop ends before the pipe is seen to."""
        stop(loop)
        time.sleep(LINGER_SECONDS)

    setattr(JobLoop, "stop", stop_and_linger)  # noqa: B010
    factory = ServerFactory.from_url(url)
    plan = Plan(
        factory, Assignment.of("q", None), "tests.queue.handlers:never_called", batch=1, block_seconds=1.0,
        grace_seconds=5.0, defaults=POLICY,
    )  # fmt: skip
    child = Offspring.fork(plan, lambda: None)
    child.signal(signal.SIGSTOP)
    wait_until(lambda: state_of(child.pid) == "T", 5, "the child is frozen")
    child.heartbeats[0].beat(Scripts(Connections(factory).beat()))
    child.give_go()
    child.ask_to_stop()
    return child.pid


if __name__ == "__main__":
    print(forsake(sys.argv[1]), flush=True)
    os._exit(0)
