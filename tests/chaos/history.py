"""The history of one storm: one line for each thing that happened, appended by whoever did it.

Owns: the lines, how they are written so that a SIGKILL leaves them whole, and reading them back. Refuses: to
judge (`checker` does). A line is `kind at pid words…`; `at` is this machine's monotonic clock in seconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

JOURNAL = "CHAOS_JOURNAL"
"""The environment variable that names the file."""


class Journal:
    """Appends lines to a file that many processes share.

    Each line is one small write in append mode: whole or not there at all, whatever kills the writer.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, kind: str, *words: object, pid: int = 0) -> float:
        """Append one line and return its instant. `pid` is the process it is about: this one unless given."""
        at = time.monotonic()
        line = " ".join([kind, f"{at:.6f}", str(pid or os.getpid()), *map(str, words)])
        os.write(self._file, line.encode() + b"\n")
        return at

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job. `digest` is that of its bytes; `ended` is "done", "raised", or "" for never."""

    id: str
    attempt: int
    pid: int
    digest: str
    start: float
    end: float | None = None
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """From one instant to another; both ends belong to it."""

    start: float
    end: float

    def meets(self, start: float, end: float) -> bool:
        """Whether it and the span from `start` to `end` share an instant."""
        return self.start <= end and start <= self.end


@dataclass
class History:
    """What the lines say, by what it is about.

    `parents`: process to the one that forked it (0: started alone). `killed`, `gone`: the instant before a
    SIGKILL was sent, the one at which a process was no longer there. `frozen`: spans between SIGSTOP and
    SIGCONT. `stored`: ids whose enqueue returned. `asked`: all that were ever tried. `losses`, `outages`:
    spans in which the server may have forgotten confirmed writes, or was away. `stalls`: spans in which the
    machine gave the test itself no time.
    """

    wall_offset: float = 0.0
    """What to add to monotonic time to get unix time."""
    runs: list[Run] = field(default_factory=list)
    parents: dict[int, int] = field(default_factory=dict)
    killed: dict[int, float] = field(default_factory=dict)
    killed_at_points: dict[str, int] = field(default_factory=dict)
    gone: dict[int, float] = field(default_factory=dict)
    frozen: dict[int, list[Span]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    losses: list[Span] = field(default_factory=list)
    outages: list[Span] = field(default_factory=list)
    stalls: list[Span] = field(default_factory=list)
    last_sign: dict[int, float] = field(default_factory=dict)

    def is_killed(self, pid: int, at: float) -> bool:
        """Whether it had been sent a SIGKILL by then."""
        return self.killed.get(pid, at + 1) <= at

    def is_gone(self, pid: int, at: float, tolerance_seconds: float) -> bool:
        """Whether it had ended by then, however; who looks for that is a little late."""
        return (
            self.is_killed(pid, at)
            or self.gone.get(pid, at + 2 * tolerance_seconds) <= at + tolerance_seconds
        )

    def seconds_awake(self, pid: int, since: float) -> float:
        """How long a process ran from an instant until it was killed, without the time it was frozen."""
        killed_at = self.killed.get(pid, float("inf"))
        asleep = [min(one.end, killed_at) - max(one.start, since) for one in self.frozen.get(pid, [])]
        return max(0.0, killed_at - since) - sum(max(0.0, seconds) for seconds in asleep)

    def has_loss(self, start: float, end: float) -> bool:
        """Whether the server may have forgotten writes in that span."""
        return any(loss.meets(start, end) for loss in self.losses)


def read(path: str | Path) -> History:
    """Read a history from its file."""
    return parse(Path(path).read_text(encoding="ascii").splitlines())


def parse(lines: Iterable[str]) -> History:
    """Read a history from its lines; those of one process stand in their order."""
    reader = _Reader()
    for line in lines:
        kind, at, pid, *words = line.split(" ")
        reader.take(kind, float(at), int(pid), words)
    return reader.finished()


class _Reader:
    def __init__(self) -> None:
        self._history = History()
        self._open: dict[tuple[int, str, int], Run] = {}
        self._stopped: dict[int, float] = {}
        self._kinds: dict[str, Callable[[float, int, list[str]], None]] = {
            "clock": self._clock, "life": self._life, "kill": self._kill, "gone": self._gone,
            "stop": self._stop, "cont": self._cont, "asked": self._asked, "stored": self._stored,
            "start": self._start, "end": self._end, "loss": self._loss, "outage": self._outage,
            "stall": self._stall,
        }  # fmt: skip

    def take(self, kind: str, at: float, pid: int, words: list[str]) -> None:
        self._kinds[kind](at, pid, words)
        if kind in ("start", "end"):
            self._history.last_sign[pid] = max(at, self._history.last_sign.get(pid, 0.0))

    def finished(self) -> History:
        history = self._history
        history.runs += self._open.values()
        history.runs.sort(key=lambda run: run.start)
        for pid, since in self._stopped.items():
            history.frozen.setdefault(pid, []).append(Span(since, float("inf")))
        return history

    def _clock(self, at: float, _: int, words: list[str]) -> None:
        self._history.wall_offset = float(words[0]) - at

    def _life(self, _: float, pid: int, words: list[str]) -> None:
        self._history.parents[pid] = int(words[0])

    def _kill(self, at: float, pid: int, words: list[str]) -> None:
        self._history.killed.setdefault(pid, at)
        point = words[0]
        self._history.killed_at_points[point] = self._history.killed_at_points.get(point, 0) + 1

    def _gone(self, at: float, pid: int, _: list[str]) -> None:
        self._history.gone.setdefault(pid, at)

    def _stop(self, at: float, pid: int, _: list[str]) -> None:
        self._stopped.setdefault(pid, at)

    def _cont(self, at: float, pid: int, _: list[str]) -> None:
        since = self._stopped.pop(pid, at)
        self._history.frozen.setdefault(pid, []).append(Span(since, at))

    def _asked(self, _: float, __: int, words: list[str]) -> None:
        self._history.asked.add(words[0])

    def _stored(self, _: float, __: int, words: list[str]) -> None:
        self._history.stored.add(words[0])

    def _start(self, at: float, pid: int, words: list[str]) -> None:
        job_id, attempt, digest = words
        key = (pid, job_id, int(attempt))
        if key in self._open:
            self._history.runs.append(self._open[key])
        self._open[key] = Run(job_id, int(attempt), pid, digest, at)

    def _end(self, at: float, pid: int, words: list[str]) -> None:
        job_id, attempt, how = words
        begun = self._open.pop((pid, job_id, int(attempt)))
        self._history.runs.append(Run(job_id, begun.attempt, pid, begun.digest, begun.start, at, how))

    def _loss(self, at: float, _: int, words: list[str]) -> None:
        self._history.losses.append(Span(float(words[0]), at))

    def _outage(self, at: float, _: int, words: list[str]) -> None:
        self._history.outages.append(Span(float(words[0]), at))

    def _stall(self, at: float, _: int, words: list[str]) -> None:
        self._history.stalls.append(Span(float(words[0]), at))
