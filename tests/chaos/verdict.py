"""The end of a storm: everybody is let go on, the queue drains, all leave, and the checker is asked.

Owns: this order, and the sentence that says what happened. Refuses: to strike.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dashboard.queue.keys import QueueKeys
from tests.chaos import remains as remains_of
from tests.chaos.checker import Rules, check
from tests.chaos.crew import Crew, End
from tests.chaos.history import History, read
from tests.chaos.remains import Remains
from tests.chaos.storm import Storm
from tests.support.processes import wait_until

DRAIN_SECONDS = 60.0


@dataclass
class Verdict:
    """What the storm did, and what should not have been."""

    faults: list[str]
    history: History
    remains: Remains
    tally: Counter[str]
    ends: list[End]
    drained_in_seconds: float

    @property
    def kill_count(self) -> int:
        """Processes that were ended by SIGKILL, at random or at a named point."""
        return sum(self.history.killed_at_points.values())

    def summary(self) -> str:
        """Everything that happened, in a few lines."""
        history = self.history
        runs, ran = len(history.runs), len({run.id for run in history.runs})
        ends = Counter(f"{end.role} {end.code}" for end in self.ends)
        lines = [
            f"{len(history.stored)} jobs stored of {len(history.asked)} asked, {runs} runs, "
            f"{runs - ran} of them again, {len(self.remains.dead)} dead, {len(self.faults)} faults",
            f"{self.kill_count} kills: {counted(Counter(history.killed_at_points))}",
            f"signals: {counted(self.tally)}",
            f"events: {counted(Counter(event.kind for event in self.remains.events))}",
            f"ends: {counted(ends)}; drained in {self.drained_in_seconds:.1f} s; "
            f"{len(history.outages)} outages, {len(history.losses)} losses, {len(history.stalls)} stalls",
        ]
        return "\n".join([*lines, *self.faults])


def counted(what: Counter[str]) -> str:
    """A tally in one line, the most frequent first."""
    return ", ".join(f"{name} {count}" for name, count in what.most_common())


def settle(crew: Crew, storm: Storm, client: Any, queue: QueueKeys, rules: Rules) -> Verdict:
    """Let the crew drain the queue and leave, and return what the checker says."""
    storm.calm()
    crew.stop("producer")
    crew.disarm()
    began_at = time.monotonic()
    wait_until(lambda: is_drained(crew, client, queue), DRAIN_SECONDS, "the queue is drained", 0.1)
    drained_in = time.monotonic() - began_at
    crew.stop("supervisor", "worker")
    crew.wait_for_orphans()
    crew.stop()
    history = read(crew.journal_path)
    remains = remains_of.look(client, queue, history.wall_offset)
    (crew.folder / "events").write_text("\n".join(map(str, remains.events)), encoding="utf-8")
    faults = [*check(history, remains, rules), *misbehaved(crew, history)]
    return Verdict(faults, history, remains, storm.tally, crew.ends, drained_in)


def is_drained(crew: Crew, client: Any, queue: QueueKeys) -> bool:
    """Whether no job is anywhere but in dead, in two looks in a row; members that end are replaced."""
    crew.tend()
    return is_empty(client, queue) and is_empty(client, queue)


def is_empty(client: Any, queue: QueueKeys) -> bool:
    """Whether nothing waits and nobody holds anything. Held last: what moves from there is seen next time."""
    if client.llen(queue.pending) or client.zcard(queue.delayed):
        return False
    return not remains_of.held(client, queue)


def misbehaved(crew: Crew, history: History) -> list[str]:
    """Ends that are no orderly ones, and tracebacks that were written."""
    active = {run.pid for run in history.runs} | set(history.parents.values())
    faults = []
    for role, pid, code in crew.ends:
        # A SIGTERM that comes before its handlers are there ends a process that has done nothing yet.
        if not (code == 0 or (code == -signal.SIGTERM and pid not in active) or pid in history.killed):
            faults.append(f"{role} {pid} ended with {code}")
    for name, text in crew.logs().items():
        if "Traceback" in text:
            faults.append(f"{name} has a traceback:\n{text[text.index('Traceback') :][:3000]}")
    return faults


def until(condition: Callable[[], object], within_seconds: float, crew: Crew, what: str) -> None:
    """Wait for a condition while the crew is tended."""

    def tended() -> object:
        crew.tend()
        return condition()

    wait_until(tended, within_seconds, what)
