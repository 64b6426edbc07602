"""The demo's last one out: ends what the demo started and removes its folder, whatever ended the demo.

Owns: a list of sessions to end, told to it line by line over its standard input. When that pipe closes, by
an orderly end or by a SIGKILL of the demo, every process of those sessions is killed, frozen ones too, and
the folder is removed. Refuses: to signal any process outside the sessions that it was told of.

Run as a program: `python -m dashboard.demo.guard FOLDER`.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Final, TextIO

PROC: Final = Path("/proc")
ROUNDS: Final = 50
"""How often a session is looked over: a process that forks while it is killed is met next time."""


def session_members(session: int) -> list[int]:
    """Return the ids of the living processes of a session; without /proc only its leader's, if alive."""
    if not PROC.is_dir():
        return [session] if is_alive(session) else []
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit() and session_of(int(entry.name)) == session:
            found.append(int(entry.name))
    return found


def session_of(pid: int) -> int | None:
    """Return the session of a process that runs or is frozen; None when it is gone or only uncollected."""
    if not PROC.is_dir():
        try:
            return os.getsid(pid)
        except OSError:
            return None
    fields = stat_fields(pid)
    return int(fields[3]) if fields and fields[0] not in "ZX" else None


def is_frozen(pid: int) -> bool:
    """Tell whether a process is stopped (SIGSTOP); always False where the kernel has no /proc."""
    fields = stat_fields(pid)
    return bool(fields) and fields[0] == "T"


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on: state, parent, group, session; [] when gone."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


def is_alive(pid: int) -> bool:
    """Tell whether a process exists and may be signalled by us."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def end_session(session: int) -> None:
    """SIGKILL every process of a session, until none is left."""
    for _ in range(ROUNDS):
        try:
            os.killpg(session, signal.SIGKILL)
        except OSError:
            pass
        members = session_members(session)
        if not members:
            return
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass


def watch(orders: TextIO, folder: Path) -> None:
    """Collect sessions ("+123" joins, "-123" leaves) until the pipe closes; then end them all."""
    sessions: list[int] = []
    for line in orders:
        session = int(line[1:])
        if line.startswith("+"):
            sessions.append(session)
        elif session in sessions:
            sessions.remove(session)
    end_all(sessions, folder)


def end_all(sessions: list[int], folder: Path) -> None:
    """End sessions, the last one first, and remove the folder."""
    for session in reversed(sessions):
        end_session(session)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watch(sys.stdin, Path(sys.argv[1]))
