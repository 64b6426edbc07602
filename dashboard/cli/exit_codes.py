"""What the command line's exit codes mean; scripts rely on them."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """One number for each way in which a command can end; `meaning` says it in a few words."""

    OK = 0, "done"
    FAILED = 1, "ended by a fault, which is told in one sentence"
    USAGE = 2, "wrong arguments or settings; nothing was done"
    NOT_FOUND = 3, "no such queue, worker or job, or it is not there any more"
    REFUSED = 4, "Redis or a rule refused it; nothing was moved"
    SERVER_AWAY = 5, "Redis did not answer"
    OUTCOME_UNKNOWN = 6, "a write was sent and its answer was lost: look before you try again"
    PARTLY = 7, "done in part; what was left is told"
    INTERRUPTED = 130, "ended by Ctrl-C"

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Make a member that is its number and knows its meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member
