"""Where every act begins: the actor is admitted, the queue is named, the act gets its one-time id.

Owns: the role check, the refusal of ambiguous names, and the numbering of calls within one act. Refuses: to
move anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dashboard.actions.refusals import CONFLICT, FORBIDDEN, UNPROCESSABLE, Refused
from dashboard.actions.roles import Actor, Role
from dashboard.queue.address import Act
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts

ACT_ID = re.compile(r"[0-9A-Za-z_-]{1,48}")
"""One-time ids become a part of a key: nothing else is let in, and the numbers of further calls find room."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What all acts need: the scripts, the console's default policy, and who acts.

    `trash_count` is how many discarded jobs the trash of a queue keeps.
    """

    scripts: Scripts
    actor: Actor
    defaults: Policy
    trash_count: int

    def admit(self, verb: str, needed: Role = Role.OPERATOR) -> None:
        """Let the actor pass, or raise Refused (403). `verb` names the act: "retry"."""
        name, role = self.actor.name, self.actor.role
        if not role.covers(needed):
            raise Refused(
                f"{verb.capitalize()} needs the role {needed}; {name} is signed in as {role}. "
                "Nothing was changed.",
                FORBIDDEN,
            )

    def enter(self, verb: str, queue: bytes, needed: Role = Role.OPERATOR) -> QueueKeys:
        """The queue's keys for an act of an admitted actor; raises Refused (403, 409)."""
        self.admit(verb, needed)
        keys = QueueKeys.found(queue)
        if keys.ambiguous:
            raise Refused(
                f"The name {shown(queue)} can be read as two different queues, so nothing is done to it. "
                "Nothing was changed.",
                CONFLICT,
            )
        return keys

    def act(self, act_id: str, call: int = 0, part: str = "") -> Act:
        """The identity of one call of an act; raises Refused (422) for an id that is none.

        The first call has the id itself, the following ones `id.N`. An act over several workers has a `part`
        for each of them: `id.part`, `id.part.N`.
        """
        if not ACT_ID.fullmatch(act_id):
            raise Refused(
                "The form's one-time id is missing or odd. Nothing was changed: reload the page.",
                UNPROCESSABLE,
            )
        number = str(call) if call else ""
        return Act(self.actor.name, ".".join(filter(None, (act_id, part, number))))


def shown(name: bytes) -> str:
    """A name as text for a sentence; what is no UTF-8 is escaped."""
    return name.decode("utf-8", "backslashreplace")
