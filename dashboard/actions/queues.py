"""Acts on a queue as a whole: pause and resume.

Owns: both. Refuses: to stop what is running; workers finish what they hold, and foreign workers do not obey.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.actions.desk import Desk
from dashboard.actions.outcome import Outcome
from dashboard.queue.answers import Switched


@dataclass(frozen=True, slots=True)
class Queues:
    """Acts on queues by one actor."""

    desk: Desk

    def pause(self, queue: bytes, act_id: str) -> Outcome:
        """Let workers of ours claim nothing more; enqueueing, promoting and reaping go on."""
        keys = self.desk.enter("pause", queue)
        return switched("pause", queue, self.desk.scripts.pause(keys, self.desk.act(act_id)))

    def resume(self, queue: bytes, act_id: str) -> Outcome:
        """Let workers of ours claim again."""
        keys = self.desk.enter("resume", queue)
        return switched("resume", queue, self.desk.scripts.resume(keys, self.desk.act(act_id)))


def switched(verb: str, queue: bytes, given: Switched) -> Outcome:
    """The outcome of a switch: no job moves."""
    return Outcome(verb, queue, repeated=given.repeat, repeated_count=int(given.repeat is not None))
