"""What the counter must be, said by Python's json and not by any code of ours.

`expectation` reads a job as json reads it and says what one more attempt must mean for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pairs:
    """An object with its members in order, repeated ones included."""

    members: list[tuple[str, Any]]


def read(raw: bytes) -> Any:
    """The job as json reads it: objects as Pairs, floats and constants as their text.

    Raises ValueError where json refuses, RecursionError where it is too deep for this interpreter.
    """
    return json.loads(
        raw.decode("utf-8-sig"),
        object_pairs_hook=Pairs,
        parse_float=lambda text: ("float", text),
        parse_constant=lambda text: ("constant", text),
    )


def counter_place(job: Pairs) -> int | None:
    """Where the last top-level `attempts` is among the members."""
    return next((at for at in reversed(range(len(job.members))) if job.members[at][0] == "attempts"), None)


def check_bump(raw: bytes, bumped: tuple[bytes, int] | None) -> str:
    """Assert that `bumped` is what one more attempt must be; return which kind of job it was."""
    try:
        job = read(raw)
    except RecursionError:
        return "too deep for json"
    except ValueError:
        return "refused by json"
    if not isinstance(job, Pairs):
        assert bumped is None
        return "no object"
    place = counter_place(job)
    if place is None:
        assert bumped is not None
        assert bumped[1] == 1
        assert read(bumped[0]) == Pairs([*job.members, ("attempts", 1)])
        added = b'"attempts":1' if not job.members else b',"attempts":1'
        at = bumped[0].rindex(added)
        assert bumped[0][:at] + bumped[0][at + len(added) :] == raw
        return "no counter"
    count = job.members[place][1]
    if type(count) is not int:
        assert bumped is None
        return "no whole number"
    if count == 10**4300 - 1:
        assert bumped is None, "one more is beyond what json reads"
        return "the longest count"
    assert bumped is not None
    assert bumped[1] == count + 1
    members = list(job.members)
    members[place] = ("attempts", count + 1)
    assert read(bumped[0]) == Pairs(members)
    assert changes_one_number_only(raw, bumped[0], count, count + 1)
    return "counted"


def changes_one_number_only(old: bytes, new: bytes, count: int, new_count: int) -> bool:
    """Whether `new` is `old` with one spelling of `count` replaced by `new_count`, every other byte kept."""
    spellings = [b"%d" % count] + ([b"-0"] if count == 0 else [])
    for spelling in spellings:
        at = old.find(spelling)
        while at >= 0:
            if old[:at] + b"%d" % new_count + old[at + len(spelling) :] == new:
                return True
            at = old.find(spelling, at + 1)
    return False
