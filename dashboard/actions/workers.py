"""Acts on workers: reap one, reap all that are stale or orphaned.

Owns: the loop of bounded calls over what a dead worker held, and a receipt for each worker. Refuses: to judge
who is dead: the script looks again in the same step as it moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import TYPE_CHECKING

from dashboard.actions.desk import Desk
from dashboard.actions.outcome import Outcome, Receipt
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.keys import QueueKeys

if TYPE_CHECKING:
    from dashboard.inspector import Inspector

REAP_CHUNK = 100
"""Jobs of one call; the script also stops after a megabyte."""
WORKERS_MAX = 10_000
"""Workers that one act reaps at most; the rest is for the next."""
UNTOUCHED = (Code.ALIVE, Code.WATCHED)


@dataclass(frozen=True, slots=True)
class Workers:
    """Acts on workers by one actor."""

    desk: Desk
    inspector: Inspector

    def reap(self, queue: bytes, worker: bytes, seen: bytes | None, act_id: str) -> Outcome:
        """Give back what one worker held, each job with one attempt more.

        `seen` is its heartbeat value as shown, None for a list without one. A worker that beat since, or is
        not silent for long enough, keeps everything: `alive_count` is 1.
        """
        keys = self.desk.enter("reap", queue)
        receipt = self._reap(keys, worker, seen, act_id, "", self._watched_since(queue, worker, seen))
        return summed(queue, [receipt])

    def reap_stale(self, queue: bytes | None, act_id: str) -> Outcome:
        """Give back what all stale workers and orphan lists of a queue hold, or of all queues (None).

        Queues with an ambiguous name are passed over. Each worker is looked at again by the script. Where a
        key of a queue has a wrong type, jobs stay and count as left; WrongKeyType when it is so everywhere.
        """
        self.desk.admit("reap")
        if queue is not None:
            self.desk.enter("reap", queue)
        receipts: list[Receipt] = []
        refused: list[tuple[WrongKeyType, Receipt]] = []
        for row in self.inspector.reapable(queue, WORKERS_MAX):
            keys = QueueKeys.found(row.queue)
            if keys.ambiguous:
                continue
            part = sha1(row.queue + b"\0" + row.name, usedforsecurity=False).hexdigest()[:12]
            try:
                receipts.append(self._reap(keys, row.name, row.beat_value, act_id, part, row.first_seen_at))
            except WrongKeyType as error:
                refused.append(
                    (error, Receipt(keys.queue, row.name, Code.HOLDING, 0, 0, row.held_count or 0))
                )
        if refused and not receipts:
            raise refused[0][0]
        receipts += [receipt for _, receipt in refused]
        return summed(queue, receipts)

    def _reap(
        self,
        keys: QueueKeys,
        worker: bytes,
        seen: bytes | None,
        act_id: str,
        part: str,
        watched_since: float | None,
    ) -> Receipt:
        """Reap one worker, call by call, until its list is empty or the script refuses."""
        moved, dead, call = 0, 0, 0
        while True:
            reaped = self.desk.scripts.requeue(
                keys,
                worker,
                why="operator",
                evidence=seen,
                limit=REAP_CHUNK,
                defaults=self.desk.defaults,
                act=self.desk.act(act_id, call, part),
                watched_since=watched_since,
            )
            moved, dead, call = moved + reaped.moved_count, dead + reaped.dead_count, call + 1
            if reaped.code is not Code.REAPED or not reaped.left_count:
                return Receipt(keys.queue, worker, reaped.code, moved, dead, reaped.left_count, reaped.repeat)

    def _watched_since(self, queue: bytes, worker: bytes, seen: bytes | None) -> float | None:
        """Since when the console itself has seen that heartbeat value; found queues keep no other record."""
        if seen is None:
            return None
        preview = self.inspector.reap_preview(queue, worker)
        return preview.worker.first_seen_at if preview and preview.worker.beat_value == seen else None


def summed(queue: bytes | None, receipts: Sequence[Receipt]) -> Outcome:
    """The outcome of all receipts together."""
    repeats = [receipt.repeat for receipt in receipts if receipt.repeat]
    return Outcome(
        "reap",
        queue,
        moved_count=sum(receipt.moved_count for receipt in receipts),
        dead_count=sum(receipt.dead_count for receipt in receipts),
        gone_count=sum(receipt.code is Code.GONE for receipt in receipts),
        alive_count=sum(receipt.code in UNTOUCHED for receipt in receipts),
        left_count=sum(receipt.left_count for receipt in receipts if receipt.code not in UNTOUCHED),
        repeated=repeats[0] if repeats else None,
        repeated_count=len(repeats),
        receipts=tuple(receipts),
    )
