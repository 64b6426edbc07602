"""Points in turn: members that end themselves at one named point until it has been hit often enough.

Owns: which member is armed with what. Refuses: to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.chaos.crew import Crew, Post

Point = tuple[str, int]
"""A named point, and for which pass a process ends itself there."""


class Rota:
    """Works off the points of several roles; each has its turn until it was hit `target` times."""

    def __init__(self, crew: Crew, target: int) -> None:
        self._crew, self._target = crew, target
        self._wanted: dict[str, list[Point]] = {}
        self._armed: list[tuple[Post, str]] = []

    def fill(self, role: str, points: Sequence[Point], members: int, **options: Any) -> None:
        """Start so many members of a role, which take the points in turn."""
        self._wanted.setdefault(role, []).extend(points)
        for _ in range(members):
            point, nth = self._wanted[role].pop(0)
            member = self._crew.add(role, point=point, nth=nth, **options)
            self._armed.append((member, point))

    def turn(self) -> None:
        """Give members whose point has been hit often enough the next one."""
        for place, (member, point) in enumerate(self._armed):
            if point and self._crew.kills[f"{member.role}-{point}"] >= self._target:
                wanted = self._wanted[member.role]
                following, nth = wanted.pop(0) if wanted else ("", 0)
                self._armed[place] = (member, following)
                self._crew.rearm(member, **({"point": following, "nth": nth} if following else {}))

    def missing(self) -> list[str]:
        """The points that were not hit often enough yet."""
        waiting = [f"{role}-{point}" for role, points in self._wanted.items() for point, _ in points]
        return waiting + [f"{member.role}-{point}" for member, point in self._armed if point]
