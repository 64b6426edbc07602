"""Workers of one queue, judged: state, age, what they hold, and whether an operator may reap them.

Owns: putting heartbeats, watches and list lengths together, and the sentence why. Refuses: to judge a
heartbeat itself (`queue.liveness` does, for the reaper as well), and to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.inspector.durations import spoken
from dashboard.inspector.snapshots import WorkerCounts
from dashboard.queue.liveness import State, Watch, judge, told_at
from dashboard.queue.policy import Policy

GRAVEST_FIRST = (
    State.STALE,
    State.ORPHAN,
    State.SILENT,
    State.LATE,
    State.ALIVE,
    State.GONE,
    State.STOPPED,
)
"""The order of rows and of counts."""

RANK = {state: rank for rank, state in enumerate(GRAVEST_FIRST)}


@dataclass(frozen=True, slots=True)
class Seen:
    """One worker as it was judged. `held` is None where its processing key is no list."""

    name: bytes
    value: bytes | None
    watch: Watch | None
    state: State
    age_seconds: float | None
    flags: frozenset[str]
    held: int | None
    can_reap: bool


def judged(
    beats: Mapping[bytes, bytes],
    watches: Mapping[bytes, Watch],
    held: Mapping[bytes, int | None],
    now: float,
    policy: Policy,
    *,
    may_act: bool,
) -> list[Seen]:
    """Judge every worker that has a heartbeat or a list with jobs, in no order.

    Without `may_act` none may be reaped: the queue's name is ambiguous.
    """
    seen = [
        judged_one(name, value, watches.get(name), held.get(name, 0), now, policy, may_act)
        for name, value in beats.items()
    ]
    orphans = (name for name, count in held.items() if count and name not in beats)
    return seen + [judged_one(name, None, None, held[name], now, policy, may_act) for name in orphans]


def judged_one(
    name: bytes,
    value: bytes | None,
    watch: Watch | None,
    held: int | None,
    now: float,
    policy: Policy,
    may_act: bool,
) -> Seen:
    """Judge one worker."""
    liveness = judge(value, watch, now, policy, held or 0)
    can_reap = may_act and bool(held) and is_reapable(liveness.state, liveness.flags, value, now)
    return Seen(name, value, watch, liveness.state, liveness.age_seconds, liveness.flags, held, can_reap)


def is_reapable(state: State, flags: frozenset[str], value: bytes | None, now: float) -> bool:
    """Tell whether an operator may reap a worker that holds jobs: the script would agree.

    A silent worker is one that the reaper still watches; an operator need not wait for that, unless the value
    tells no time or comes from a slow clock.
    """
    if state in (State.STALE, State.ORPHAN):
        return True
    return state is State.SILENT and value is not None and told_at(value, now) is not None and not flags


def notable(workers: Iterable[Seen]) -> tuple[Seen, ...]:
    """Return the workers that findings are about: neither alive nor late, or with a flag."""
    fine = (State.ALIVE, State.LATE)
    return tuple(worker for worker in workers if worker.flags or worker.state not in fine)


def why(seen: Seen, policy: Policy, *, ambiguous: bool) -> str:
    """Return one sentence: why this worker may be reaped, or why not."""
    limit = spoken(policy.stale_after_seconds)
    age = spoken(seen.age_seconds or 0.0)
    if ambiguous:
        return "The queue's name is ambiguous, so nothing acts on it."
    if seen.held is None:
        return "Its processing key is not a list."
    if not seen.held:
        return "It holds nothing."
    if seen.state is State.ORPHAN:
        return "Its list has no heartbeat. If a worker still runs these jobs, they run twice."
    if seen.state is State.STALE:
        return f"Silent for {age}, over the threshold of {limit}. If it still runs, its jobs run twice."
    if seen.can_reap:
        return f"Silent for {age}, not yet watched for {limit}. If it still runs, its jobs run twice."
    if seen.state is State.SILENT:
        return f"Its heartbeat tells no time; it is watched until {limit} pass without a change."
    return f"It beat {age} ago; it is stale after {limit}."


def counts_of(workers: Iterable[Seen], at: float) -> WorkerCounts:
    """Count workers by state, and the jobs they hold."""
    by_state = dict.fromkeys(State, 0)
    held = reapable = 0
    for worker in workers:
        by_state[worker.state] += 1
        held += worker.held or 0
        if worker.can_reap and worker.state in (State.STALE, State.ORPHAN):
            reapable += worker.held or 0
    return WorkerCounts(
        by_state[State.ALIVE],
        by_state[State.LATE],
        by_state[State.SILENT],
        by_state[State.STALE],
        by_state[State.GONE],
        by_state[State.ORPHAN],
        held,
        reapable,
        at,
    )
