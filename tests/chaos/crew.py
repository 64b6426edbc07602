"""The processes of one storm: started, found again after a fork, replaced when they end, stopped at last.

Owns: who is there, and what is written about their ends. Refuses: to choose whom to strike (`storm` does),
and to touch a process that is not of this crew.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.chaos.history import JOURNAL, Journal
from tests.chaos.nursery import Member, Nursery, whole_lines
from tests.support.processes import state_of, wait_until

STOP_SECONDS = 30.0
ORDERLY_CODES = {0, -signal.SIGKILL, -signal.SIGTERM}
"""With what a member may end; whether the signal was sent to it is looked at in the end."""


@dataclass
class Post:
    """One role that is always filled, and who fills it now. `arms` are a point and its n, or nothing."""

    role: str
    options: dict[str, Any]
    process: Member
    arms: dict[str, Any] = field(default_factory=dict)


class End(NamedTuple):
    """How a member ended: its exit code, or the number of the signal below zero."""

    role: str
    pid: int
    code: int


class Crew:
    """Keeps its members going for a `with` block; everything of theirs is ended with it.

    `options` are what every role is given: url, queue, policy. `folder` keeps the journal and the logs.
    """

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder, self._options = folder, options
        self.journal_path = folder / "journal"
        self.journal = Journal(self.journal_path)
        self.journal.write("clock", repr(time.time()))
        self.ends: list[End] = []
        self.members: list[Post] = []
        self._nursery = Nursery(folder, {JOURNAL: str(self.journal_path)})
        self._tail = self.journal_path.open(encoding="ascii")
        self._forked: dict[int, int] = {}
        self.kills: Counter[str] = Counter()
        """SIGKILLs by their reason, as far as the journal was read."""
        self.stored_count = 0
        """Jobs whose enqueue returned, as far as the journal was read."""

    def add(self, role: str, *, point: str = "", nth: int = 0, **options: Any) -> Post:
        """Start one more member; `point` and `nth` arm it and each that replaces it."""
        arms = {"point": point, "nth": nth} if point else {}
        member = Post(role, options, self._start(role, options | arms), arms)
        self.members.append(member)
        return member

    def tend(self) -> None:
        """Note who is gone, and replace members that have ended."""
        self._read_on()
        for pid in [pid for pid in self._forked if not is_ours(pid)]:
            del self._forked[pid]
            self.journal.write("gone", pid=pid)
        for member in self.members:
            if not member.process.is_running():
                self._note_end(member)
                member.process = self._start(member.role, member.options | member.arms)

    def rearm(self, member: Post, **arms: Any) -> None:
        """Replace a member by one that ends itself elsewhere, or nowhere."""
        member.arms = arms
        member.process.signal(signal.SIGCONT)
        member.process.signal(signal.SIGTERM)

    def disarm(self) -> None:
        """Let every armed member leave; who replaces it passes all points unharmed."""
        for member in self.members:
            if member.arms:
                self.rearm(member)

    def stop(self, *roles: str) -> None:
        """SIGTERM to the members of these roles, or to all, and wait for their end; nobody replaces them."""
        leaving = [member for member in self.members if not roles or member.role in roles]
        self.members = [member for member in self.members if member not in leaving]
        for member in leaving:
            member.process.signal(signal.SIGCONT)
            member.process.signal(signal.SIGTERM)
        for member in leaving:
            member.process.wait(STOP_SECONDS)
            self._note_end(member)

    def wait_for_orphans(self) -> None:
        """Wait until no child of a supervisor that has ended is left."""
        wait_until(lambda: not list(self.orphans()), STOP_SECONDS, "every orphaned child has left")

    def pids(self, role: str) -> list[int]:
        """The living of one role; "child" are those that supervisors forked, orphans too."""
        self._read_on()
        if role == "child":
            return [pid for pid in self._forked if is_ours(pid)]
        return [one.process.pid for one in self.members if one.role == role and one.process.is_running()]

    def orphans(self) -> Iterator[int]:
        """Living children whose supervisor has ended."""
        parents = {member.process.pid for member in self.members if member.process.is_running()}
        self._read_on()
        yield from (pid for pid, parent in self._forked.items() if parent not in parents and is_ours(pid))

    def kill(self, pid: int, why: str) -> None:
        """SIGKILL, noted before it is sent."""
        self.journal.write("kill", why, pid=pid)
        send(pid, signal.SIGKILL)

    def logs(self) -> dict[str, str]:
        """What every process wrote, by the name of its file."""
        return {
            path.name: path.read_text(encoding="utf-8", errors="replace")
            for path in self.folder.glob("*.log")
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._nursery.close()
        self._tail.close()
        self.journal.close()

    def _start(self, role: str, options: dict[str, Any]) -> Member:
        return self._nursery.start(role, self._options | options)

    def _note_end(self, member: Post) -> None:
        pid, code = member.process.pid, member.process.returncode
        self.journal.write("gone", pid=pid)
        self.ends.append(End(member.role, pid, code if code is not None else 0))
        # It would only be started again and again.
        assert code in ORDERLY_CODES, (
            f"{member.role} {pid} ended with {code}:\n{member.process.output()[-3000:]}"
        )

    def _read_on(self) -> None:
        """Learn of forks and ends from the journal."""
        for line in whole_lines(self._tail):
            kind, _, pid, *words = line.split()
            if kind == "kill":
                self.kills[words[0]] += 1
            elif kind == "stored":
                self.stored_count += 1
            elif kind == "life" and words[0] != "0":
                self._forked[int(pid)] = int(words[0])


def is_ours(pid: int) -> bool:
    """Whether the process lives and is one of a storm's programs."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"tests.chaos.nursery" in command and state_of(pid) not in ("Z", "X", "")


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may just have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
