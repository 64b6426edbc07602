"""Who acts, and what that person may do.

Owns: the three roles and their order. Refuses: to know how somebody signed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """A viewer reads; an operator acts on jobs, workers and queues; an admin does both and, later, more."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    def covers(self, needed: Role) -> bool:
        """Whether this role may do what `needed` may do."""
        return RANKS[self] >= RANKS[needed]


RANKS = {Role.VIEWER: 0, Role.OPERATOR: 1, Role.ADMIN: 2}


@dataclass(frozen=True, slots=True)
class Actor:
    """The person behind an act: `name` is what events, the trash and repeated answers show."""

    name: str
    role: Role
