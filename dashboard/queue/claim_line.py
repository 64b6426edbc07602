"""The claiming connection of one worker: every job enters and leaves the worker's list through it.

Owns: the connection, and what follows a reply that never came: drop the connection, have the server end it,
read the own list with no claim outstanding, and go on from what it holds. What a server has forgotten of
confirmed acknowledgements is acknowledged again. Refuses: to serve two threads, and to decide when to claim.

Each method ends only when its outcome is known. While the server is away its steps yield the seconds until
the next try; closed then, they leave what is in hand in the list.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import redis

from dashboard.queue import backoff
from dashboard.queue.answers import Code
from dashboard.queue.claims import call_number, reconcile, still_held
from dashboard.queue.connections import Connections, drop
from dashboard.queue.errors import QueueError, ServerError, ServerRefused, WrongKeyType, translated
from dashboard.queue.keys import SETTLED, QueueKeys, readable, worker_field
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.settle_calls import SettleCalls
from dashboard.queue.slot import Slot
from dashboard.queue.steps import Steps

T = TypeVar("T")
log = logging.getLogger(__name__)

GHOST_MARGIN_SECONDS = 1.0
"""How much longer than its block time a dropped connection that cannot be ended is waited for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a settle brought: all jobs that now wait in hand, oldest first."""

    todo: list[bytes]
    paused: bool = False


class ClaimLine:
    """One worker's line to its lists. Nothing is connected before the first call."""

    def __init__(
        self,
        connections: Connections,
        queue: QueueKeys,
        worker: bytes,
        slot: Slot,
        *,
        block_seconds: float,
    ) -> None:
        self._connections, self._q, self._worker, self._slot = connections, queue, worker, slot
        self._block_seconds = block_seconds
        self._processing = queue.processing(worker)
        self._client: redis.Redis | None = None
        self._scripts: Scripts | None = None
        self._calls = SettleCalls(slot)
        self._has_forgotten = False
        self._doubts = 0

    def settle(self, done: Sequence[bytes], rest: Sequence[bytes], n: int) -> Steps[Turn]:
        """Acknowledge `done` and claim up to `n` more, while `rest` of the batch waits."""
        scripts = yield from self._ready()
        if self._has_forgotten:
            return (yield from self._reconciled(self._calls.number + 1, done, rest))
        call = self._calls.begin(done)
        try:
            answer = scripts.settle(self._q, self._worker, call, done, n)
        except QueueError as error:
            return (yield from self._settle_in_doubt(error, done, rest))
        self._doubts = 0
        self._calls.confirm(call, answer.lost)
        for place in answer.lost:
            self._say_lost("acknowledged", done[place])
        return Turn([*rest, *answer.raws] if rest else answer.raws, answer.code is Code.PAUSED)

    def block(self, seconds: float) -> Steps[list[bytes]]:
        """Wait up to `seconds` for a job, with nothing in hand; return what is held then."""
        yield from self._ready()
        try:
            with translated():
                raw = self._connected().blmove(self._q.pending, self._processing, seconds, "RIGHT", "LEFT")
        except ServerError as error:
            return (yield from self._settle_in_doubt(error, [], [])).todo
        return [] if raw is None else [raw]

    def fail(
        self, raw: bytes, new_raw: bytes, *, delay_ms: int | None, error: str, others: Sequence[bytes]
    ) -> Steps[Code]:
        """Put a failed job aside; `others` are the other copies in hand. LOST when it is no longer held."""

        def attempt(scripts: Scripts, repeated: bool) -> Code:
            if repeated and not still_held(self._listed(), [raw, *others], [raw]):
                return Code.DEAD if delay_ms is None else Code.DELAYED
            return scripts.fail(self._q, self._worker, raw, new_raw, delay_ms=delay_ms, error=error).code

        code = yield from self._until_known(attempt)
        if code is Code.LOST:
            self._say_lost("failed", raw)
        return code

    def release(self, raws: Sequence[bytes], others: Sequence[bytes]) -> Steps[None]:
        """Give back `raws`, oldest first; `others` are the other copies in hand."""

        def attempt(scripts: Scripts, repeated: bool) -> list[bytes]:
            part = still_held(self._listed(), [*raws, *others], raws) if repeated else raws
            answer = scripts.release(self._q, self._worker, part) if part else None
            return [part[place] for place in answer.lost] if answer else []

        for raw in (yield from self._until_known(attempt)):
            self._say_lost("released", raw)

    def listed(self) -> Steps[list[bytes]]:
        """Return what the worker's list holds, oldest first. For when no claim is outstanding."""
        return (yield from self._until_known(lambda _, __: self._listed()))

    def has_pending(self) -> Steps[bool]:
        """Tell whether jobs wait, without a write to the server."""
        return (yield from self._until_known(lambda _, __: bool(self._connected().llen(self._q.pending))))

    def policy(self, defaults: Policy) -> Steps[Policy]:
        """Return the policy in force."""
        return (yield from self._until_known(lambda _, __: Policy.read(self._connected(), self._q, defaults)))

    def close(self) -> None:
        """Drop the connection."""
        self._slot.client_id = 0
        client, self._client, self._scripts = self._client, None, None
        if client is not None:
            drop(client)

    def _settle_in_doubt(
        self, error: QueueError, done: Sequence[bytes], rest: Sequence[bytes]
    ) -> Steps[Turn]:
        """Find out what became of the last settle or claim, and go on from there."""
        self._say_trouble(error)
        if isinstance(error, ServerError):
            self._drop()
        self._doubts += 1
        yield backoff.pause_seconds(self._doubts)
        return (yield from self._reconciled(self._calls.number, done, rest))

    def _reconciled(self, doubtful: int, done: Sequence[bytes], rest: Sequence[bytes]) -> Steps[Turn]:
        """Go on from what the server knows of call number `doubtful` and of those before it."""

        def attempt(scripts: Scripts, _: bool) -> list[bytes]:
            known = self._stored_call()
            forgotten = self._calls.forgotten_by(known)
            if forgotten:
                self._say_trouble("Redis forgot acknowledgements: what is listed again leaves again.")
            outcome = reconcile(self._listed(), known, doubtful, done, rest, forgotten)
            if known is not None and known >= doubtful:
                self._calls.confirm(known)
            elif outcome.acks:
                # With a number of its own: where this reply is lost too, the number tells.
                call = self._calls.begin(outcome.acks, after=known)
                answer = scripts.settle(self._q, self._worker, call, outcome.acks, 0)
                self._calls.confirm(call, answer.lost)
            else:
                self._calls.dismiss(known)
            return outcome.todo

        todo = yield from self._until_known(attempt)
        self._has_forgotten = False
        return Turn(todo)

    def _until_known(self, attempt: Callable[[Scripts, bool], T]) -> Steps[T]:
        """Call `attempt(scripts, repeated)` until it returns; yield a pause between the tries."""
        tries = 0
        while True:
            try:
                with translated():
                    return attempt(self._ready_once(), tries > 0)
            except WrongKeyType as error:
                self._say_trouble(error)
            except ServerError as error:
                self._say_trouble(error)
                self._drop()
            tries += 1
            yield backoff.pause_seconds(tries)

    def _ready(self) -> Steps[Scripts]:
        """Return the scripts of a live connection, however long it takes to get one."""
        return self._scripts or (yield from self._until_known(lambda scripts, _: scripts))

    def _ready_once(self) -> Scripts:
        if self._scripts is None:
            with translated():
                client = self._client = self._connections.claim(self._block_seconds)
                own_id = int(self._connected().client_id())
                # Ids grow: one above ours was given by another server, and its connection ended with that.
                if 0 < self._slot.client_id < own_id:
                    self._end_ghost(self._slot.client_id)
                self._slot.client_id = own_id
            self._has_forgotten = bool(self._calls.forgotten_by(self._stored_call()))
            self._scripts = Scripts(client)
        return self._scripts

    def _stored_call(self) -> int | None:
        """Return the number of the last settle that the server knows of; None where it cannot be had."""
        try:
            with translated():
                field = worker_field(SETTLED, self._worker)
                return call_number(self._connected().hget(self._q.workers, field))
        except ServerRefused as error:
            if error.code in ("NOPERM", "WRONGTYPE"):
                return None
            raise

    def _connected(self) -> Any:
        """Return the live client. redis-py's stubs know neither bytes as names nor fractions of seconds."""
        return self._client

    def _end_ghost(self, ghost: int) -> None:
        """Have the server end the predecessor, whose claim might otherwise still be answered."""
        try:
            with translated():
                self._connected().execute_command("CLIENT", "KILL", "ID", ghost)
        except ServerRefused as error:
            if error.code == "NOPERM":
                time.sleep(self._block_seconds + GHOST_MARGIN_SECONDS)

    def _drop(self) -> None:
        """Drop the connection but remember its id: the next one ends it on the server."""
        client, self._client, self._scripts = self._client, None, None
        if client is not None:
            drop(client)

    def _listed(self) -> list[bytes]:
        listed: list[bytes] = self._connected().lrange(self._processing, 0, -1)
        listed.reverse()
        return listed

    def _say_trouble(self, error: QueueError | str) -> None:
        log.warning("worker %s of queue %s: %s", readable(self._worker), readable(self._q.queue), error)

    def _say_lost(self, what: str, raw: bytes) -> None:
        log.warning(
            "worker %s of queue %s no longer held a job that it %s, nothing was changed: %s",
            readable(self._worker), readable(self._q.queue), what, readable(raw[:200]),
        )  # fmt: skip
