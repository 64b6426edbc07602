"""The offline checker: given what happened and what is left, it says what should not have been.

Owns: the rules. Pure: it reads nothing, so that a planted fault shows whether a rule catches it. Refuses: to
excuse anything by chance or by load that the history itself does not tell of.

- Conserved: every id whose enqueue returned was finished, or stands in dead over the limit.
- Rerun: whoever runs a job again runs bytes that lead back to those of the run before, one recorded failure
  or reap for each attempt. The same attempt runs again only after a release by a process that left.
- Overlap: two runs of one job at once need a reap between their starts.
- Reap: only of a process that had ended, or that could not be beaten for over the threshold.
- Stranded: nothing is pending, delayed or held, and no heartbeat is left but of a process that had nobody to
  clean up after it.

Where the server may have forgotten writes, what they would have explained is excused, but no loss of an id
whose enqueue was confirmed.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from tests.chaos.history import History, Run
from tests.chaos.remains import Event, Remains

TOLERANCE_SECONDS = 0.5
"""Between the server's clock and ours, and until an end is noticed."""
FAREWELL_SECONDS = 5.0
"""A supervisor that was killed so soon after its child may not have come to cleaning up."""
HAND_SECONDS = 3.0
"""How long a claimed job can wait in a hand before it starts: the fence bounds it."""


@dataclass(frozen=True)
class Rules:
    """The limits in force in the storm that is judged."""

    stale_after_seconds: float
    max_attempts: int


def check(history: History, remains: Remains, rules: Rules) -> list[str]:
    """Return a sentence for everything that should not have been; [] when all is well."""
    return [
        *lost(history, remains, rules),
        *reruns(history, remains),
        *overlaps(history, remains),
        *reaps(history, remains, rules),
        *stranded(history, remains),
    ]


def lost(history: History, remains: Remains, rules: Rules) -> list[str]:
    """Ids that were neither finished nor died of their attempts, and ids that nobody enqueued."""
    finished = {run.id for run in history.runs if run.ended == "done"}
    dead, faults = set(), []
    moves = {after for event in remains.events for _, after in event.edges}
    for raw in remains.dead:
        job = json.loads(raw)
        dead.add(job["id"])
        if job["attempts"] != rules.max_attempts + 1:
            faults.append(f"{job['id']} is dead after {job['attempts']} attempts")
        elif digest_of(raw) not in moves and not history.losses:
            faults.append(f"{job['id']} is dead, and no event says why")
    faults += [f"{job_id} was enqueued and never finished" for job_id in history.stored - finished - dead]
    unknown = {run.id for run in history.runs} - history.asked
    return faults + [f"{job_id} ran and was never enqueued" for job_id in unknown]


def digest_of(raw: bytes) -> str:
    """The digest by which events and runs name a job's bytes."""
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()


def reruns(history: History, remains: Remains) -> list[str]:
    """Runs that nothing recorded led to, or that did not count."""
    leads = defaultdict(list)
    for event in remains.events:
        for before, after in event.edges:
            leads[before].append(after)
    faults = []
    for first, second in successive(history):
        if is_forgotten(first, second, history):
            continue
        if second.attempt < first.attempt:
            faults.append(f"{said(first)}, then {said(second)}: attempts fell")
        elif second.attempt == first.attempt:
            if not was_released(first, second, history, remains.events):
                faults.append(f"{said(first)}, then {said(second)}: it ran again and did not count")
        elif second.digest not in reached(first.digest, leads, second.attempt - first.attempt):
            faults.append(
                f"{said(first)}, then {said(second)}: no failure and no reap between them is recorded"
            )
    return faults


def successive(history: History) -> list[tuple[Run, Run]]:
    """Each run of a job with the next run of the same job."""
    by_id: dict[str, list[Run]] = defaultdict(list)
    for run in history.runs:
        by_id[run.id].append(run)
    return [pair for runs in by_id.values() for pair in pairwise(runs)]


def is_forgotten(first: Run, second: Run, history: History) -> bool:
    """Whether the server may have forgotten what became of the job between its claim and the second run."""
    return history.has_loss(first.start - HAND_SECONDS, second.start)


def was_released(first: Run, second: Run, history: History, events: list[Event]) -> bool:
    """Whether a process that did nothing afterwards gave the job back between the two runs."""
    return any(
        event.kind == "released"
        and event.pid == first.pid
        and first.start <= event.at + TOLERANCE_SECONDS
        and event.at <= second.start + TOLERANCE_SECONDS
        and history.last_sign[first.pid] <= event.at + TOLERANCE_SECONDS
        for event in events
    )


def reached(digest: str, leads: dict[str, list[str]], steps: int) -> set[str]:
    """The digests that so many recorded moves lead to."""
    here = {digest}
    for _ in range(steps):
        here = {after for before in here for after in leads.get(before, [])}
    return here


def overlaps(history: History, remains: Remains) -> list[str]:
    """Two runs of one job at the same time, without a reap between their starts."""
    faults = []
    for first, second in successive(history):
        ends_at = first.end
        if ends_at is None:
            ends_at = history.killed.get(first.pid, first.start)
        if second.start >= ends_at or is_forgotten(first, second, history):
            continue
        reaped = any(
            event.kind == "reaped"
            and event.pid == first.pid
            and first.start - TOLERANCE_SECONDS <= event.at <= second.start + TOLERANCE_SECONDS
            for event in remains.events
        )
        if not reaped:
            faults.append(f"{said(first)} overlaps {said(second)}, and nobody had reaped its worker")
    return faults


def reaps(history: History, remains: Remains, rules: Rules) -> list[str]:
    """Reaps of workers that lived and could be beaten for."""
    faults = []
    for event in remains.events:
        if event.kind != "reaped":
            continue
        if event.why == "child-exit":
            if not history.is_killed(event.pid, event.at + TOLERANCE_SECONDS):
                faults.append(f"{told(event)}: nothing had killed the child")
        elif not (
            history.is_gone(event.pid, event.at, TOLERANCE_SECONDS)
            or was_silenced(event.pid, event.at, history, rules.stale_after_seconds)
        ):
            faults.append(f"{told(event)}: it lived, and nothing had kept it from beating")
    return faults


def was_silenced(pid: int, at: float, history: History, threshold_seconds: float) -> bool:
    """Whether the worker, who beats for it, or the whole machine stood still for the threshold before."""
    still = [
        *history.stalls,
        *history.frozen.get(pid, []),
        *history.frozen.get(history.parents.get(pid, 0), []),
    ]
    return any(
        span.end - span.start >= threshold_seconds and span.meets(at - 2 * threshold_seconds, at)
        for span in still
    )


def stranded(history: History, remains: Remains) -> list[str]:
    """Jobs that nothing will move any more, and heartbeats that nothing will take away."""
    faults = [f"{len(raws)} jobs are stranded in {place}" for place, raws in places(remains) if raws]
    for worker in remains.heartbeats:
        if not is_excused(worker, history):
            faults.append(f"the heartbeat of {worker.decode()} is left")
    return faults


def places(remains: Remains) -> list[tuple[str, list[bytes]]]:
    """Where no job may be in the end."""
    held = [(f"processing:{worker.decode()}", raws) for worker, raws in remains.held.items()]
    return [("pending", remains.pending), ("delayed", remains.delayed), *held]


def is_excused(worker: bytes, history: History) -> bool:
    """Whether a process could leave its heartbeat behind, since nobody was left to clean up after it.

    One that was killed after its supervisor could, or a lone one. One that ended in order could only before
    its supervisor was killed: an orphan retires by itself.
    """
    pid = Event(0.0, "", worker).pid
    parent, died_at = history.parents.get(pid), history.killed.get(pid)
    if history.losses or (died_at is None and history.outages):
        return True
    if died_at is not None:
        return parent == 0 or history.seconds_awake(parent or 0, died_at) <= FAREWELL_SECONDS
    left_at, killed_at = history.gone.get(pid), history.killed.get(parent or 0)
    return left_at is not None and killed_at is not None and 0 <= killed_at - left_at <= FAREWELL_SECONDS


def said(run: Run) -> str:
    """A run in a sentence."""
    end = "no end" if run.end is None else f"{run.ended} at {run.end:.3f}"
    return f"{run.id} attempt {run.attempt} in {run.pid} from {run.start:.3f} ({end})"


def told(event: Event) -> str:
    """A reap in a sentence."""
    return f"{event.worker.decode()} was reaped ({event.why}) at {event.at:.3f}"
