"""Acts on exact jobs: retry, discard, promote, restore; one of them or many ticked ones.

Owns: the order in which ticked jobs go, the second look for those that moved, and one answer for each.
Refuses: to act on anything but the entry that was shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.actions.desk import Desk
from dashboard.actions.finding import Finder
from dashboard.actions.outcome import Answer, Outcome
from dashboard.actions.refusals import UNPROCESSABLE, Refused
from dashboard.queue.address import Act, Address
from dashboard.queue.answers import Code, Discarded, Moved, Promoted, Revived
from dashboard.queue.keys import QueueKeys

Pick = tuple[Address, str]
"""An entry as it was shown, and the one-time id of the form it stood in."""

Given = Discarded | Moved | Promoted | Revived
Call = Callable[[Address, Act], Given]

TRASH_ID = re.compile(r"\d{1,20}-\d{1,20}")


@dataclass(frozen=True, slots=True)
class Jobs:
    """Acts on single jobs by one actor."""

    desk: Desk

    def retry(self, queue: bytes, picks: Sequence[Pick], *, keep_attempts: bool = False) -> Outcome:
        """Move dead jobs to the front of pending, the oldest to run next, attempts set to 0 unless kept."""
        keys = self.desk.enter("retry", queue)
        only_from(picks, "dead", "retry")
        scripts = self.desk.scripts
        return self._each(
            "retry",
            keys,
            picks,
            lambda at, act: scripts.revive_one(keys, at, act, keep_attempts=keep_attempts),
        )

    def promote(self, queue: bytes, picks: Sequence[Pick]) -> Outcome:
        """Move delayed jobs to the front of pending now, the earliest due to run next."""
        keys = self.desk.enter("promote", queue)
        only_from(picks, "delayed", "promote")
        return self._each(
            "promote", keys, picks, lambda at, act: self.desk.scripts.promote_one(keys, at, act)
        )

    def discard(self, queue: bytes, picks: Sequence[Pick]) -> Outcome:
        """Move jobs into the trash. What a live worker holds stays with it and is answered as alive."""
        keys = self.desk.enter("discard", queue)

        def call(at: Address, act: Act) -> Discarded:
            return self.desk.scripts.discard(
                keys, at, act, defaults=self.desk.defaults, trash_count=self.desk.trash_count
            )

        return self._each("discard", keys, picks, call)

    def restore(self, queue: bytes, trash_id: str, act_id: str) -> Outcome:
        """Put a discarded job back to where it came from; `Outcome.place` says where that is."""
        keys = self.desk.enter("restore", queue)
        if not TRASH_ID.fullmatch(trash_id):
            raise Refused("That is no entry of the trash. Nothing was changed.", UNPROCESSABLE)
        given = self.desk.scripts.restore(keys, trash_id, self.desk.act(act_id))
        return Outcome(
            "restore",
            queue,
            moved_count=int(given.code is Code.RESTORED),
            gone_count=int(given.code is Code.GONE),
            repeated=given.repeat,
            repeated_count=int(given.code is Code.REPEATED),
            place=given.place,
        )

    def _each(self, verb: str, keys: QueueKeys, picks: Sequence[Pick], call: Call) -> Outcome:
        """Call for one pick after the other, from the end that leaves the places of the rest unchanged.

        That is the newest (or latest due) first. What moves to the right end of pending last runs next, so
        the oldest of them does.
        """
        acts = [self.desk.act(act_id) for _, act_id in picks]
        finder = Finder(self.desk.scripts, keys)
        answers: dict[int, Answer] = {}
        for number in sorted(range(len(picks)), key=lambda number: farthest(picks[number][0]), reverse=True):
            address, act = picks[number][0], acts[number]
            given = call(address, act)
            if given.code is Code.GONE and (found := finder.find(address)):
                given = call(found, act)
            trash_id = given.trash_id if isinstance(given, Discarded) else ""
            answers[number] = Answer(address, given.code, trash_id, given.repeat)
        return summed(verb, keys.queue, [answers[number] for number in range(len(picks))])


def farthest(address: Address) -> tuple[str, bytes, int]:
    """Sorts jobs of one list by their distance from its stable end; lists of several workers one by one."""
    return address.place, address.worker or b"", address.hint


def only_from(picks: Sequence[Pick], place: str, verb: str) -> None:
    """Raise Refused (422) when a pick is of another list than the verb works on."""
    for address, _ in picks:
        if address.place != place:
            raise Refused(
                f"{verb.capitalize()} works on {place} jobs, and one of these was shown in {address.place}. "
                "Nothing was changed.",
                UNPROCESSABLE,
            )


def summed(verb: str, queue: bytes, answers: Sequence[Answer]) -> Outcome:
    """The outcome of all answers together."""
    codes = [answer.code for answer in answers]
    repeats = [answer.repeat for answer in answers if answer.repeat]
    moved = sum(codes.count(code) for code in (Code.RETRIED, Code.PROMOTED, Code.DISCARDED))
    return Outcome(
        verb,
        queue,
        moved_count=moved,
        gone_count=codes.count(Code.GONE),
        unreadable_count=codes.count(Code.UNREADABLE),
        alive_count=codes.count(Code.ALIVE),
        repeated=repeats[0] if repeats else None,
        repeated_count=len(repeats),
        trash_ids=tuple(answer.trash_id for answer in answers if answer.trash_id),
        answers=tuple(answers),
    )
