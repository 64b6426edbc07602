"""One enqueue under a dedup key: sent again until its outcome is known, and stored once.

Owns: the mark under the key, how long a doubtful call is repeated, and whose job stands there in the end.
Refuses: to make the job's bytes, and to go on once the mark may have expired.

The key is marked in the step that stores the job. So a repeated call finds the mark of the first one, and by
its token knows it for its own.
"""

from __future__ import annotations

import json
import logging
import math
import secrets
import time
from dataclasses import dataclass
from typing import Any

from dashboard.queue import backoff
from dashboard.queue.answers import Code
from dashboard.queue.errors import (
    AlreadyDelayed,
    BadName,
    OutcomeUnknown,
    ServerAway,
    ServerError,
    was_never_sent,
)
from dashboard.queue.keys import QueueKeys, as_bytes, readable
from dashboard.queue.scripts import Scripts

log = logging.getLogger(__name__)

SECONDS_MAX = 366 * 86_400.0
SECONDS_MIN = 1.0
"""A mark that is gone sooner could not even tell a repeated call from a second one."""

DOUBT_SECONDS = 15.0
"""For so long a call of unknown outcome is repeated: a server that restarts or fails over is back by then."""
DOUBT_SHARE = 0.5
"""Of the mark's time: no call is repeated later, or its predecessor's mark might have expired."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What stands in the queue under a dedup key: the job `id`. `is_new` tells that this call stored it."""

    id: Any
    is_new: bool


@dataclass(frozen=True, slots=True)
class DedupKey:
    """A key under which one job is stored in `seconds`, by the server's clock."""

    key: bytes
    seconds: float

    @classmethod
    def checked(cls, key: bytes | str, seconds: float) -> DedupKey:
        """Return the key, or raise BadName for an empty one and ValueError for a time out of bounds."""
        if not key:
            raise BadName("A dedup key has at least one byte.")
        if not (math.isfinite(seconds) and SECONDS_MIN <= seconds <= SECONDS_MAX):
            raise ValueError(f"dedup_seconds is {seconds:g}; it is {SECONDS_MIN:g} to {SECONDS_MAX:,.0f}.")
        return cls(as_bytes(key), float(seconds))

    def store(
        self, scripts: Scripts, q: QueueKeys, raw: bytes, job_id: object, due: float | str | None
    ) -> Stored:
        """Store the job in pending, or in delayed when it has a due time, unless another one came first.

        Raises OutcomeUnknown when no answer came in time, ServerAway when the first call was never sent,
        ServerRefused when it was refused, and AlreadyDelayed when exactly these bytes are delayed.
        """
        mark = secrets.token_hex(8).encode() + b" " + json.dumps(job_id).encode()
        give_up_at = time.monotonic() + min(DOUBT_SECONDS, DOUBT_SHARE * self.seconds)
        tries = 0
        while True:
            try:
                answer = scripts.enqueue_once(
                    q, raw, due=due, dedup=self.key, mark=mark, mark_ms=math.ceil(self.seconds * 1000)
                )
                break
            except ServerError as error:
                # A refusal of a repeated call says nothing of the first one.
                if not tries and (not isinstance(error, ServerAway) or was_never_sent(error)):
                    raise
                tries += 1
                pause = backoff.pause_seconds(tries)
                if time.monotonic() + pause > give_up_at:
                    raise self._unknown(error, q) from error
                log.warning("queue %s: %s The enqueue is repeated.", readable(q.queue), error)
                time.sleep(pause)
        if answer.code is Code.DELAYED:
            raise AlreadyDelayed(
                f"Job {job_id!r} of queue {readable(q.queue)} is delayed already; "
                f"its due time was not changed."
            )
        return Stored(_id_of(answer.marked), answer.code is Code.ENQUEUED or answer.marked == mark)

    def _unknown(self, error: ServerError, q: QueueKeys) -> OutcomeUnknown:
        return OutcomeUnknown(
            f"{error} It is not known whether the job was enqueued to {readable(q.queue)}. "
            f"Enqueue it again under the key {readable(self.key)!r}: within {self.seconds:g} s of the first "
            f"call it is stored once."
        )


def _id_of(mark: bytes) -> Any:
    """Return the job id in a mark; what another hand put there is returned as text."""
    _, _, told = mark.partition(b" ")
    try:
        return json.loads(told)
    except ValueError:
        return readable(mark)
