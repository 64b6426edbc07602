"""What needs a person, as ranked sentences: cause, number, one act.

Owns: the findings about one queue. Refuses: to read, and to raise an alarm about what heals by itself within
seconds. Findings about the server and over all queues are in `server_findings`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator

from dashboard.inspector.durations import counted, spoken
from dashboard.inspector.judging import Seen
from dashboard.inspector.passes import QueuePass
from dashboard.inspector.snapshots import Finding, FindingAct, QueueSummary, Severity
from dashboard.inspector.visible import cut, visible_bytes
from dashboard.queue.liveness import State

ALONE_SECONDS = 10.0
"""Pending jobs younger than this need no worker yet: it may be starting."""

OVERDUE_SECONDS = 5.0
"""A promoter passes every second; a due job that waits for five has none."""

DEAD_RISING_COUNT = 5
"""Deaths within the time looked at (ten minutes at most) that are no longer single cases."""

TREND_STEP = 5
"""Passes over which pending counts as growing: about ten seconds."""

ERROR_SIGNS = 120
RANK: dict[Severity, int] = {"urgent": 0, "soon": 1, "note": 2}


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings, the gravest first; among equals those with most jobs, then by queue."""
    return tuple(
        sorted(
            findings,
            key=lambda one: (RANK[one.severity], -(one.act.count if one.act else 0), one.queue or b""),
        )
    )


def queue_findings(
    queue: QueueSummary, workers: Iterable[Seen], passed: QueuePass | None, now: float
) -> list[Finding]:
    """Return what needs somebody in one queue, in no order. `workers` are its notable ones."""
    seen = list(workers)
    if _is_calm(queue, seen):
        return []
    alone = _no_live_worker(queue, seen, now)
    found = [alone] if alone else list(_holders(queue, seen))
    found += _held_back(queue, passed, now)
    found += _overdue(queue, passed, now)
    found += _dead(queue, passed, now)
    found += _clocks(queue, seen)
    found += (
        Finding(
            "soon",
            queue.name,
            "odd-key",
            f"{_name(queue)}: {fault}",
            "Something else wrote it. Nothing touches it, and the rest of the queue works.",
            FindingAct("Open queue", "open", queue.name),
        )
        for fault in queue.faults
    )
    return found


def _is_calm(queue: QueueSummary, workers: list[Seen]) -> bool:
    """Tell of most queues at once that none of the rest can be said."""
    depths = queue.depths
    if workers or queue.faults or depths.overdue or depths.dead:
        return False
    return not depths.pending or bool(queue.workers.live)


def _no_live_worker(queue: QueueSummary, workers: list[Seen], now: float) -> Finding | None:
    pending = queue.depths.pending or 0
    if not pending or queue.workers.live or not queue.workers.at:
        return None
    waiting = None if queue.oldest_pending_at is None else now - queue.oldest_pending_at
    if waiting is not None and waiting < ALONE_SECONDS:
        return None
    if queue.policy.paused:
        sentence = f"{_name(queue)} is paused, {counted(pending, 'job')} pending"
        return Finding("note", queue.name, "paused", sentence, "Nothing is claimed until it is resumed.",
                       FindingAct("Open queue", "open", queue.name, count=pending))  # fmt: skip
    silence = min((one.age_seconds for one in workers if one.age_seconds is not None), default=None)
    lasting = f" for {spoken(silence)}" if silence is not None else ""
    trend = queue.pending_trend[-TREND_STEP:]
    growing = " and growing" if len(trend) == TREND_STEP and trend[-1] > trend[0] else ""
    sentence = f"{_name(queue)}: no live worker{lasting}, {pending:,} pending{growing}"
    holders = [one for one in workers if one.held]
    held = sum(one.held or 0 for one in holders)
    if not holders:
        detail = "Nobody beats in this queue. Start a worker."
        return Finding("urgent", queue.name, "no-live-worker", sentence, detail,
                       FindingAct("Open queue", "open", queue.name, count=pending))  # fmt: skip
    hold = "holds" if len(holders) == 1 else "hold"
    detail = f"{counted(len(holders), 'silent worker')} {hold} {counted(held, 'job')}"
    return Finding("urgent", queue.name, "no-live-worker", sentence, detail, _reap_act(queue, holders))


def _holders(queue: QueueSummary, workers: list[Seen]) -> Iterator[Finding]:
    limit = spoken(queue.policy.stale_after_seconds)
    stale = _holding(workers, State.STALE)
    if stale:
        sentence = (
            f"{_name(queue)}: {_hold(stale, f'worker silent over {limit}', f'workers silent over {limit}')}"
        )
        detail = (
            "A janitor reaps them by itself while one runs."
            if queue.managed and queue.policy.reaping == "automatic"
            else "Nothing reaps them by itself here: reaping is manual."
            if queue.managed
            else "This queue was only found, so nothing reaps it by itself."
        )
        yield Finding("urgent", queue.name, "stale-workers", sentence, detail, _reap_act(queue, stale))
    orphans = _holding(workers, State.ORPHAN)
    if orphans:
        sentence = (
            f"{_name(queue)}: {_hold(orphans, 'list without a heartbeat', 'lists without a heartbeat')}"
        )
        severity: Severity = "soon" if queue.managed else "note"
        detail = (
            "A janitor adopts such lists and reaps them after the threshold."
            if queue.managed and queue.policy.adopt_orphans
            else "Nobody says whether their workers live, and nothing here touches them by itself."
        )
        yield Finding(severity, queue.name, "orphans", sentence, detail, _reap_act(queue, orphans))
    silent = _holding(workers, State.SILENT)
    if silent:
        sentence = f"{_name(queue)}: {_hold(silent, 'silent worker', 'silent workers')}"
        detail = f"Being watched until {limit} pass without a change; then they are stale."
        yield Finding("soon", queue.name, "silent-workers", sentence, detail, _reap_act(queue, silent))


def _held_back(queue: QueueSummary, passed: QueuePass | None, now: float) -> Iterator[Finding]:
    until, count = passed.held_back if passed else (0.0, 0)
    # A janitor that ended while it waited has left its stamp behind, and anybody may write one.
    if not count or not 0 < until - now <= queue.policy.stale_after_seconds:
        return
    sentence = f"{_name(queue)}: {counted(count, 'worker')} fell silent together"
    detail = (
        f"A janitor waits for {spoken(until - now)} more before it reaps them: the network may be at fault. "
        "You need not wait."
    )
    act = FindingAct("Open workers", "open", queue.name, place="workers", count=count)
    yield Finding("urgent", queue.name, "held-back", sentence, detail, act)


def _overdue(queue: QueueSummary, passed: QueuePass | None, now: float) -> Iterator[Finding]:
    overdue = queue.depths.overdue or 0
    soonest = passed.soonest_due if passed else None
    late_by = now - soonest if soonest is not None else 0.0
    if not overdue or late_by < OVERDUE_SECONDS:
        return
    by = f" by up to {spoken(late_by)}" if math.isfinite(late_by) else ""
    noun = "delayed job is" if overdue == 1 else "delayed jobs are"
    last = queue.promoted_at
    since = (
        f"Nothing has promoted jobs in this queue since {clock(last)}."
        if last is not None
        else "Nothing has ever promoted jobs in this queue."
    )
    label = f"Promote {counted(overdue, 'due job')}"
    yield Finding("soon", queue.name, "overdue", f"{_name(queue)}: {overdue:,} {noun} overdue{by}",
                  f"{since} Is a janitor running?",
                  FindingAct(label, "promote-due", queue.name, place="delayed", count=overdue))  # fmt: skip


def _dead(queue: QueueSummary, passed: QueuePass | None, now: float) -> Iterator[Finding]:
    dead = queue.depths.dead or 0
    if not dead:
        return
    died, since = passed.died if passed else (0, now)
    error = cut(passed.newest_error, ERROR_SIGNS) if passed else ""
    newest = f"The newest with {error}" if error else "The newest does not say why."
    act = FindingAct(f"Open {counted(dead, 'dead job')}", "open", queue.name, place="dead", count=dead)
    if died >= DEAD_RISING_COUNT:
        sentence = f"{_name(queue)}: {counted(died, 'job')} died in the last {spoken(max(1.0, now - since))}"
        yield Finding("urgent", queue.name, "dying", sentence, newest, act)
    else:
        yield Finding("note", queue.name, "dead", f"{_name(queue)}: {counted(dead, 'dead job')}", newest, act)


def _clocks(queue: QueueSummary, workers: list[Seen]) -> Iterator[Finding]:
    wrong = [one for one in workers if one.flags & {"skew", "slow-clock"}]
    if wrong:
        sentence = f"{_name(queue)}: the clock of {counted(len(wrong), 'worker')} is wrong"
        detail = f"{visible_bytes(wrong[0].name)} writes heartbeats that the server's clock contradicts."
        yield Finding("note", queue.name, "clock", sentence, detail,
                      FindingAct("Open workers", "open", queue.name, place="workers"))  # fmt: skip


def _reap_act(queue: QueueSummary, holders: list[Seen]) -> FindingAct:
    reapable = [one for one in holders if one.can_reap]
    count = sum(one.held or 0 for one in reapable)
    label = f"Review and reap {counted(count, 'job')}"
    if len(reapable) == 1:
        return FindingAct(label, "reap", queue.name, worker=reapable[0].name, count=count)
    if reapable and all(one.state in (State.STALE, State.ORPHAN) for one in reapable):
        return FindingAct(label, "reap-stale", queue.name, count=count)
    count = sum(one.held or 0 for one in holders)
    return FindingAct("Open workers", "open", queue.name, place="workers", count=count)


def _holding(workers: list[Seen], state: State) -> list[Seen]:
    return [one for one in workers if one.state is state and one.held]


def _hold(holders: list[Seen], one: str, many: str) -> str:
    verb = "holds" if len(holders) == 1 else "hold"
    held = sum(worker.held or 0 for worker in holders)
    return f"{counted(len(holders), one, many)} {verb} {counted(held, 'job')}"


def _name(queue: QueueSummary) -> str:
    return cut(visible_bytes(queue.name), 60)


def clock(at: float) -> str:
    """Return an instant of the last day as a time, an older one with its date, in UTC."""
    shape = "%H:%M:%S UTC" if abs(time.time() - at) < 86_400 else "%d %b %Y %H:%M UTC"
    return time.strftime(shape, time.gmtime(at))
