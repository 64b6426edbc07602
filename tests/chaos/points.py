"""Named points: a process ends itself by SIGKILL when it passes one for the n-th time.

Owns: the wrapping of public methods, in the test's own programs only; the library knows nothing of it.
Refuses: to be used twice in a process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import redis

from dashboard.queue.handler import Runner
from dashboard.queue.scripts import Scripts
from tests.chaos.work import end_myself

OWNERS: dict[str, type] = {"blmove": redis.Redis, "call": Runner}
"""Whose method a point's name is; all others are scripts."""

OF_CHILDREN = (
    # Between claim and run; between run and settle; around what a failure does; around what is given back.
    ("before:call", 4), ("after:blmove", 2), ("after:call", 3), ("before:settle", 5), ("after:settle", 5),
    ("before:fail", 1), ("after:fail", 1), ("before:release", 1), ("after:release", 1),
)  # fmt: skip
OF_WORKERS = (("before:beat", 2), ("after:beat", 3), ("before:retire", 1), ("after:retire", 1))
OF_SUPERVISORS = (
    ("before:requeue", 1), ("after:requeue", 1), ("before:beat", 7), ("after:beat", 4), ("before:retire", 1),
    ("after:retire", 1),
)  # fmt: skip
OF_JANITORS = (
    ("before:requeue", 1),
    ("after:requeue", 1),
    ("before:promote_due", 3),
    ("after:promote_due", 4),
)


def install(point: str, nth: int, role: str) -> None:
    """Let this process, and each that it forks, end itself when it passes `point` for the `nth` time.

    `point` is "before:NAME" or "after:NAME": of a script by its method's name, of "call" (the handler is
    called) or of "blmove" (a claim that waits). `role` is for the record.
    """
    when, _, name = point.partition(":")
    owner = OWNERS.get(name, Scripts)
    original: Callable[..., Any] = getattr(owner, name)
    passes = itertools.count(1)

    def passing(*args: Any, **options: Any) -> Any:
        if when == "before":
            pass_by()
        answer = original(*args, **options)
        # A claim that waited in vain has claimed nothing.
        if when == "after" and (name != "blmove" or answer is not None):
            pass_by()
        return answer

    def pass_by() -> None:
        if next(passes) == nth:
            end_myself(f"{role}-{point}")

    setattr(owner, name, passing)
