"""Acts on whole lists: retry all dead jobs, promote all due ones, in bounded calls.

Owns: the frozen bound of a retry of all, and what happens when the list changes under it. Refuses: to move
what arrived after the page was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.actions.desk import Desk, shown
from dashboard.actions.finding import Finder
from dashboard.actions.outcome import Outcome
from dashboard.actions.refusals import CONFLICT, UNPROCESSABLE, Refused
from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Revived
from dashboard.queue.keys import QueueKeys

RETRY_CHUNK = 400
"""Jobs of one call: under 25 ms of the server's time also when every counter has to be searched for."""
PROMOTE_CHUNK = 200
"""Jobs of one call: each is taken out of a sorted set one by one."""

Progress = Callable[[int], None]
"""Told after each call how many jobs that call has dealt with."""


def unwatched(_: int) -> None:
    """Nobody watches the progress."""


@dataclass(slots=True)
class Bound:
    """What is left of the set that was frozen when the page was drawn.

    `size` entries at the right end of dead belong to it, the leftmost of them being the newest; `skip` of
    them, at the very end, are unreadable ones that stay.
    """

    size: int
    newest_digest: str
    skip: int = 0
    moved_count: int = 0

    @property
    def is_done(self) -> bool:
        """Whether only unreadable entries are left."""
        return self.skip >= self.size

    def account(self, revived: Revived) -> None:
        """Take one call's answer into account."""
        self.size -= revived.moved_count
        self.skip += revived.unreadable_count
        self.moved_count += revived.moved_count

    def narrow(self, newest_hint: int) -> None:
        """Somebody took entries out of the set: it ends where its newest entry stands now.

        They may have been unreadable ones, so those are counted anew.
        """
        self.size, self.skip = newest_hint + 1, 0


@dataclass(frozen=True, slots=True)
class Bulk:
    """Acts on whole lists by one actor."""

    desk: Desk

    def retry_all(
        self,
        queue: bytes,
        bound: int,
        newest_digest: str,
        act_id: str,
        *,
        keep_attempts: bool = False,
        progress: Progress = unwatched,
    ) -> Outcome:
        """Move the `bound` oldest dead jobs behind what is pending, oldest first.

        `newest_digest` is that of the newest of them when the page was drawn: when the entry at that place is
        another one, Refused (409) is raised and nothing has moved. Unreadable jobs stay and are counted.
        """
        keys = self.desk.enter("retry", queue)
        if bound < 0 or (bound and not newest_digest):
            raise Refused(
                "The form does not say which jobs it means. Nothing was moved: reload the page.",
                UNPROCESSABLE,
            )
        left, finder, call = Bound(bound, newest_digest), Finder(self.desk.scripts, keys), 0
        while not left.is_done:
            revived = self._retry_some(keys, left, self.desk.act(act_id, call), keep_attempts)
            if revived.code is Code.REPEATED:
                if call == 0:
                    return Outcome("retry", queue, repeated=revived.repeat, repeated_count=1)
                break
            if revived.code is Code.GONE:
                if call == 0:
                    raise Refused(changed(queue), CONFLICT)
                hint = finder.find_digest(keys.dead, newest_digest, below=left.size)
                if hint is None:
                    break
                left.narrow(hint)
                continue
            if not revived.seen_count:
                break
            left.account(revived)
            progress(revived.seen_count)
            call += 1
        return self._retried(keys, left)

    def promote_due(
        self, queue: bytes, act_id: str, bound: int, *, progress: Progress = unwatched
    ) -> Outcome:
        """Move delayed jobs that are due behind what is pending, in due order, `bound` at most."""
        keys = self.desk.enter("promote", queue)
        moved, call = 0, 0
        while moved < bound:
            limit = min(PROMOTE_CHUNK, bound - moved)
            promoted = self.desk.scripts.promote_due(keys, act=self.desk.act(act_id, call), limit=limit)
            if promoted.code is Code.REPEATED and call == 0:
                return Outcome("promote", queue, repeated=promoted.repeat, repeated_count=1)
            if not promoted.count:
                break
            moved, call = moved + promoted.count, call + 1
            progress(promoted.count)
        return Outcome("promote", queue, moved_count=moved)

    def _retry_some(self, keys: QueueKeys, left: Bound, act: Act, keep_attempts: bool) -> Revived:
        return self.desk.scripts.revive_oldest(
            keys,
            bound=left.size,
            skip=left.skip,
            limit=RETRY_CHUNK,
            newest_digest=left.newest_digest,
            act=act,
            keep_attempts=keep_attempts,
        )

    def _retried(self, keys: QueueKeys, left: Bound) -> Outcome:
        standing = self.desk.scripts.peek(keys.dead, 0, 0, 0).total_count
        return Outcome(
            "retry",
            keys.queue,
            moved_count=left.moved_count,
            unreadable_count=left.skip,
            left_count=0 if left.is_done else min(standing, left.size) - left.skip,
            newer_count=max(0, standing - left.size),
        )


def changed(queue: bytes) -> str:
    """The sentence for a list that is not the one that the page showed."""
    return f"The dead list of {shown(queue)} changed since the page was drawn: look again. Nothing was moved."
