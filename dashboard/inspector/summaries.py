"""The row of a queue: fresh lengths, and what the collector knows beside them.

Owns: putting the two together. Refuses: to read.
"""

from __future__ import annotations

from dashboard.inspector.depths import Lengths
from dashboard.inspector.judging import counts_of
from dashboard.inspector.passes import QueuePass
from dashboard.inspector.snapshots import Depths, QueueSummary, WorkerCounts
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy

_NOBODY = counts_of((), 0.0)

WANTED = {"pending": "list", "delayed": "sorted set", "dead": "list"}
"""What each key of a queue has to be, in the words of a sentence."""


def summary(
    q: QueueKeys,
    lengths: Lengths,
    passed: QueuePass | None,
    defaults: Policy,
    *,
    is_named: bool,
    policy: Policy | None = None,
    counts: WorkerCounts | None = None,
    trash_count: int | None = 0,
    faults: tuple[str, ...] = (),
) -> QueueSummary:
    """Return the row. `policy` and `counts` are fresher than those of the pass, where they were read."""
    in_force = policy or (passed.policy if passed else defaults)
    workers = counts or (passed.counts if passed else _NOBODY)
    return QueueSummary(
        name=q.queue,
        depths=Depths(
            pending=lengths.pending,
            processing=workers.held if workers.at else None,
            delayed=lengths.delayed,
            overdue=lengths.overdue,
            dead=lengths.dead,
            trash=trash_count,
        ),
        workers=workers,
        policy=in_force,
        managed=in_force.managed or is_named,
        ambiguous=q.ambiguous,
        oldest_pending_at=passed.oldest_pending_at if passed and lengths.pending else None,
        rates=passed.rates if passed else None,
        pending_trend=passed.trend if passed else (),
        promoted_at=passed.promoted_at if passed else None,
        reaped_at=passed.reaped_at if passed else None,
        faults=tuple(dict.fromkeys((*_odd(lengths), *faults, *(passed.faults if passed else ())))),
    )


def _odd(lengths: Lengths) -> list[str]:
    """Return a sentence for each key that has another type."""
    figures = (lengths.pending, lengths.delayed, lengths.dead)
    if None not in figures:
        return []
    return [
        f"{name} is not a {wanted}"
        for (name, wanted), figure in zip(WANTED.items(), figures, strict=True)
        if figure is None
    ]
