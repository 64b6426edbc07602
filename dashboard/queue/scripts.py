"""Every Lua script as one typed method.

The keys and arguments of lua/NAME.lua are put together here and only here.

A method raises WrongKeyType when a key holds another Redis type (nothing has moved), and the ServerError
family otherwise. Nothing is retried: whether a call whose reply was lost may be repeated is said in the Lua
file's head.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import redis

from dashboard.queue.address import Act, Address
from dashboard.queue.answers import (
    Beat,
    Claimed,
    Code,
    Discarded,
    Enqueued,
    EnqueuedOnce,
    Entry,
    Failed,
    Moved,
    Peeked,
    Promoted,
    Purged,
    Reaped,
    Released,
    Repeat,
    Retired,
    Revived,
    Sampled,
    Settled,
    Switched,
)
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.script_runner import Arg, ScriptRunner, checked

CLAIM_MAX = 100
"""Most jobs that one claim or settle takes, so that a call stays short."""


class Scripts:
    """The scripts over one client. `now` replaces the server's clock in tests, in unix seconds."""

    def __init__(self, client: redis.Redis, *, now: float | None = None) -> None:
        runner = ScriptRunner(client)
        self._run, self._run_many = runner.run, runner.run_many
        self._now = "" if now is None else repr(now)

    # The worker's path

    def claim(self, q: QueueKeys, worker: bytes, n: int) -> Claimed:
        """Move up to `n` jobs from pending into the worker's own list, oldest first."""
        answer = self._run("claim", [q.pending, q.processing(worker), q.policy, q.stats], [min(n, CLAIM_MAX)])
        return Claimed(_code(answer), answer[1:])

    def settle(self, q: QueueKeys, worker: bytes, call: int, raws: Sequence[bytes], n: int) -> Settled:
        """Acknowledge `raws` and claim the next `n` in one round trip, as the worker's call number `call`."""
        keys = [q.pending, q.processing(worker), q.workers, q.policy, q.stats]
        answer = self._run("settle", keys, [worker, call, min(n, CLAIM_MAX), self._now, *raws])
        return Settled(_code(answer), answer[1], answer[2], answer[3])

    def fail(
        self, q: QueueKeys, worker: bytes, raw: bytes, new_raw: bytes, *, delay_ms: int | None, error: str
    ) -> Failed:
        """Put a job that raised into delayed, due `delay_ms` from the server's now, or into dead (None)."""
        keys = [q.processing(worker), q.delayed, q.dead, q.events, q.stats]
        delay = "" if delay_ms is None else delay_ms
        answer = self._run("fail", keys, [worker, raw, new_raw, delay, error, self._now])
        return Failed(_code(answer), float(answer[1]) if len(answer) > 1 else None)

    def release(self, q: QueueKeys, worker: bytes, raws: Sequence[bytes]) -> Released:
        """Give claimed jobs (oldest first) back to the front of pending, counters untouched."""
        keys = [q.pending, q.processing(worker), q.events, q.stats]
        answer = self._run("release", keys, [worker, *raws])
        return Released(_code(answer), answer[1], answer[2])

    def beat(
        self, q: QueueKeys, worker: bytes, *, token: str = "", record: bytes = b"", busy: bytes = b""
    ) -> Beat:
        """Write the worker's heartbeat, and its instance and busy records where given."""
        keys = [q.heartbeats, q.processing(worker), q.workers, q.policy, q.stats]
        answer = self._run("beat", keys, [worker, token, record, busy, self._now])
        return Beat(_code(answer), float(answer[1]), answer[2], bool(answer[3]))

    def retire(self, q: QueueKeys, worker: bytes, *, token: str = "", why: str = "stopped") -> Retired:
        """Take a worker that stopped off the list, unless it still holds jobs."""
        keys = [q.heartbeats, q.processing(worker), q.workers, q.events, q.stats, q.watch]
        answer = self._run("retire", keys, [worker, token, why, self._now])
        return Retired(_code(answer), answer[1])

    # Reaping and promoting

    def requeue(
        self,
        q: QueueKeys,
        worker: bytes,
        *,
        why: str,
        evidence: bytes | None,
        defaults: Policy,
        act: Act,
        limit: int = 100,
        detail: str = "",
        watched_since: float | None = None,
    ) -> Reaped:
        """Give up to `limit` jobs of a dead worker back, after the script has looked again.

        `why` is "stale", "operator" (`evidence` is the heartbeat value as seen, None for a list
        without one, which "stale" adopts and "operator" moves) or "child-exit" (`evidence` is the
        instance token). `watched_since` is the caller's own knowledge of since when the value has
        been unchanged, in server seconds.
        """
        keys = [
            q.pending, q.processing(worker), q.heartbeats, q.dead, q.policy, q.watch, q.workers, q.events,
            q.stats, q.act(act.id),
        ]  # fmt: skip
        seen: list[Arg] = [0, ""] if evidence is None else [1, evidence]
        since = "" if watched_since is None else repr(watched_since)
        limits: list[Arg] = [limit, defaults.max_attempts, defaults.stale_after_seconds]
        args: list[Arg] = [why, worker, *seen, *limits, act.id, act.actor, detail, since, self._now]
        answer = self._run("requeue", keys, args)
        code = _code(answer)
        if code is Code.REPEATED:
            return Reaped(code, repeat=Repeat.parse(answer[1:5]))
        if code is Code.REAPED:
            return Reaped(code, answer[1], answer[2], answer[3])
        return Reaped(code, left_count=answer[1])

    def promote_due(self, q: QueueKeys, *, act: Act, limit: int = 100) -> Promoted:
        """Move up to `limit` due jobs from delayed to pending, in due order."""
        return self._promote(q, ["due", limit, act.id, act.actor, self._now], act)

    def promote_one(self, q: QueueKeys, address: Address, act: Act) -> Promoted:
        """Move one delayed job to pending now, to run next."""
        where: list[Arg] = [address.length, address.digest, address.hint, address.score or b""]
        return self._promote(q, ["one", 1, act.id, act.actor, self._now, *where], act)

    def _promote(self, q: QueueKeys, args: list[Arg], act: Act) -> Promoted:
        answer = self._run("promote", [q.delayed, q.pending, q.events, q.stats, q.act(act.id)], args)
        code = _code(answer)
        if code is Code.REPEATED:
            return Promoted(code, repeat=Repeat.parse(answer[1:5]))
        return Promoted(code, answer[1], float(answer[2]) if answer[2] else None)

    def sample(self, q: QueueKeys, figures: Mapping[str, int]) -> Sampled:
        """Write down how deep the queue is, what was counted, and what the caller knows beside that."""
        series = [q.samples, q.samples_by_minute, q.samples_by_quarter]
        known: list[Arg] = [part for figure in figures.items() for part in figure]
        answer = self._run("sample", [q.pending, q.delayed, q.dead, q.stats, *series], [self._now, *known])
        return Sampled(_code(answer), answer[1])

    # An operator's acts on jobs

    def revive_one(self, q: QueueKeys, address: Address, act: Act, *, keep_attempts: bool = False) -> Revived:
        """Move one dead job to pending, to run next, its attempts set to 0 unless kept."""
        return self._revive(q, "one", [address.length, address.digest, address.hint], act, keep_attempts)

    def revive_oldest(
        self,
        q: QueueKeys,
        *,
        bound: int,
        skip: int,
        limit: int,
        act: Act,
        newest_digest: str = "",
        keep_attempts: bool = False,
    ) -> Revived:
        """Move up to `limit` of the `bound` oldest dead jobs behind what is pending, oldest first.

        `skip` entries at the right end are unreadable ones that earlier calls left. After a call
        the caller lowers `bound` by moved_count and raises `skip` by unreadable_count, and is done
        when they meet. With the digest of the newest of them the answer is GONE, and nothing has
        moved, once another entry stands in its place.
        """
        return self._revive(q, "oldest", [bound, skip, limit, newest_digest], act, keep_attempts)

    def _revive(self, q: QueueKeys, mode: str, where: list[Arg], act: Act, keep_attempts: bool) -> Revived:
        keys = [q.dead, q.pending, q.events, q.stats, q.act(act.id)]
        answer = self._run("revive", keys, [mode, int(keep_attempts), act.id, act.actor, self._now, *where])
        code = _code(answer)
        if code is Code.REPEATED:
            return Revived(code, repeat=Repeat.parse(answer[1:5]))
        return Revived(code, answer[1], answer[2], answer[3])

    def reschedule(self, q: QueueKeys, address: Address, due: float, act: Act) -> Moved:
        """Give one delayed job another due time, in unix seconds."""
        where: list[Arg] = [address.length, address.digest, address.hint, address.score or b"", repr(due)]
        return self._move("reschedule", [q.delayed, q.events, q.act(act.id)], where, act)

    def bury(self, q: QueueKeys, address: Address, act: Act) -> Moved:
        """Move one pending job to dead, unchanged."""
        where: list[Arg] = [address.length, address.digest, address.hint]
        return self._move("bury", [q.pending, q.dead, q.events, q.stats, q.act(act.id)], where, act)

    def take(self, q: QueueKeys, address: Address, act: Act, defaults: Policy) -> Moved:
        """Take one job out of a live worker's list, to pending or dead by its attempts. It may run twice."""
        worker = address.worker or b""
        keys = [q.pending, q.processing(worker), q.dead, q.policy, q.events, q.stats, q.act(act.id)]
        where: list[Arg] = [worker, address.length, address.digest, address.hint, defaults.max_attempts]
        return self._move("take", keys, where, act)

    def restore(self, q: QueueKeys, trash_id: str, act: Act) -> Moved:
        """Put a discarded job back to where it came from (`place` says where)."""
        keys = [q.trash, q.pending, q.delayed, q.dead, q.events, q.stats, q.act(act.id)]
        return self._move("restore", keys, [trash_id], act)

    def _move(self, script: str, keys: list[bytes], where: list[Arg], act: Act) -> Moved:
        answer = self._run(script, keys, [*where, act.id, act.actor, self._now])
        code = _code(answer)
        if code is Code.REPEATED:
            return Moved(code, repeat=Repeat.parse(answer[1:5]))
        return Moved(code, answer[1].decode() if isinstance(answer[1], bytes) else "")

    def discard(
        self, q: QueueKeys, address: Address, act: Act, *, defaults: Policy, trash_count: int
    ) -> Discarded:
        """Move one job into the trash, which keeps about `trash_count` entries.

        Jobs of live workers are refused.
        """
        worker = address.worker or b""
        source = q.processing(worker) if address.place == "processing" else getattr(q, address.place)
        keys = [source, q.trash, q.heartbeats, q.policy, q.events, q.stats, q.act(act.id)]
        where: list[Arg] = [
            address.place,
            worker,
            address.length,
            address.digest,
            address.hint,
            address.score or b"",
        ]
        limits: list[Arg] = [defaults.stale_after_seconds, trash_count]
        answer = self._run("discard", keys, [*where, *limits, act.id, act.actor, self._now])
        code = _code(answer)
        if code is Code.REPEATED:
            return Discarded(code, repeat=Repeat.parse(answer[1:5]))
        return Discarded(code, answer[1].decode() if len(answer) > 1 else "")

    def purge(self, q: QueueKeys, act: Act, *, trash_id: str = "", limit: int = 1000) -> Purged:
        """Remove one trash entry for ever, or the `limit` oldest ones."""
        answer = self._run(
            "purge", [q.trash, q.events, q.act(act.id)], [trash_id, limit, act.id, act.actor, self._now]
        )
        code = _code(answer)
        if code is Code.REPEATED:
            return Purged(code, repeat=Repeat.parse(answer[1:5]))
        return Purged(code, answer[1], answer[2])

    # Producing, pausing

    def enqueue(self, q: QueueKeys, raws: Sequence[bytes]) -> Enqueued:
        """Store jobs in pending, the first to run first. At most 1,000 a call."""
        answer = self._run("enqueue", [q.pending, q.policy, q.stats], raws)
        return Enqueued(_code(answer), answer[1], [])

    def enqueue_at(self, q: QueueKeys, raws_with_due: Iterable[tuple[bytes, Arg]]) -> Enqueued:
        """Store jobs in delayed: pairs of raw and due time in unix seconds, or "+5" for seconds from now."""
        args: list[Arg] = []
        for raw, due in raws_with_due:
            args += [repr(due) if isinstance(due, float) else due, raw]
        answer = self._run("enqueue_at", [q.delayed, q.policy, q.stats, q.events], [*args, self._now])
        return Enqueued(_code(answer), answer[1], answer[2])

    def enqueue_once(
        self, q: QueueKeys, raw: bytes, *, due: float | str | None, dedup: bytes, mark: bytes, mark_ms: int
    ) -> EnqueuedOnce:
        """Store one job, unless `dedup` is marked; `mark` stands there for `mark_ms` from then on.

        `due` None means pending, else unix seconds or "+5" as for `enqueue_at`.
        """
        keys = [q.pending if due is None else q.delayed, q.dedup(dedup), q.policy, q.stats, q.events]
        at = "" if due is None else repr(due) if isinstance(due, float) else due
        answer = self._run("enqueue_once", keys, [raw, at, mark, mark_ms, self._now])
        return EnqueuedOnce(_code(answer), answer[1])

    def pause(self, q: QueueKeys, act: Act) -> Switched:
        """Stop workers of ours from claiming."""
        return self._switch("pause", q, act)

    def resume(self, q: QueueKeys, act: Act) -> Switched:
        """Let workers of ours claim again."""
        return self._switch("resume", q, act)

    def _switch(self, script: str, q: QueueKeys, act: Act) -> Switched:
        answer = self._run(script, [q.policy, q.events, q.act(act.id)], [act.id, act.actor, self._now])
        code = _code(answer)
        if code is Code.REPEATED:
            return Switched(code, repeat=Repeat.parse(answer[1:5]))
        return Switched(code, bool(answer[1]))

    # Reading for a page

    def peek(self, key: bytes, start: int, stop: int, preview_bytes: int) -> Peeked:
        """Read a page: indexes as for LRANGE or ZRANGE, previews cut by the server."""
        return self.peek_many([(key, start, stop, preview_bytes)])[0].unwrap()

    def peek_many(self, wanted: Sequence[tuple[bytes, int, int, int]]) -> list[PeekResult]:
        """Read several pages in one round trip. A wrong key type spoils its own result only."""
        results = self._run_many("peek", [([key], [start, stop, most]) for key, start, stop, most in wanted])
        return [PeekResult(result, start) for result, (_, start, _, _) in zip(results, wanted, strict=True)]

    def locate(self, key: bytes, address: Address, most_bytes: int) -> Entry | None:
        """Find one exact entry now, with up to `most_bytes` of its bytes; None when it is not near."""
        score = address.score if address.place == "delayed" else b""
        args: list[Arg] = [address.length, address.digest, address.hint, score or b"", most_bytes]
        answer = self._run("locate", [key], args)
        if _code(answer) is Code.GONE:
            return None
        return Entry(answer[1], answer[2], answer[3], address.digest, answer[4] or None)


class PeekResult:
    """One page of `peek_many`, or the WrongKeyType that took its place."""

    def __init__(self, answer: list[Any], start: int) -> None:
        self._answer = answer
        self._start = start

    def unwrap(self) -> Peeked:
        """Return the page. Raises WrongKeyType."""
        _, total, *rows = checked(self._answer)
        first = max(0, total + self._start) if self._start < 0 else self._start
        entries = []
        for index, (length, preview, digest, score) in enumerate(rows, first):
            hint = index if score else total - 1 - index
            entries.append(Entry(hint, length, preview, digest.decode(), score or None))
        return Peeked(total, entries)


def _code(answer: list[Any]) -> Code:
    return Code(answer[0].decode())
