"""One planted bug, as a record."""

from __future__ import annotations

from dataclasses import dataclass

QUEUE = "dashboard/queue/"
LUA = QUEUE + "lua/"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A bug by name: in the file at `path`, `old` (which stands there exactly once) becomes `new`.

    `test` is the node id of the test that must fail then; its parameters may be left out.
    """

    name: str
    path: str
    old: str
    new: str
    test: str
