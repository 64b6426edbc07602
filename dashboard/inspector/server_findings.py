"""Findings about the server, and about janitors over all queues.

Owns: what memory, persistence and missing janitors mean for the promise. Refuses: to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dashboard.inspector.durations import spoken
from dashboard.inspector.findings import clock
from dashboard.inspector.snapshots import Finding, FindingAct, QueueSummary, RedisHealth
from dashboard.inspector.visible import cut, visible_bytes

JANITOR_SILENT_SECONDS = 30.0
"""A janitor passes every second; thirty without a pass mean that there is none."""

MEMORY_SHARE = 0.9
"""Of maxmemory: above it the next burst of jobs may be refused."""


def server_findings(health: RedisHealth) -> Iterator[Finding]:
    """Return what the server's settings and state mean, in no order."""
    limit, used = health.memory_limit_bytes, health.memory_used_bytes
    if limit and health.eviction_policy.startswith("allkeys-"):
        yield Finding(
            "soon", None, "eviction",
            f"Redis may evict keys: maxmemory-policy is {health.eviction_policy}",
            "A full Redis would throw jobs away. noeviction refuses new ones instead.", None,
        )  # fmt: skip
    elif limit and health.eviction_policy.startswith("volatile-"):
        yield Finding(
            "note", None, "eviction",
            f"Redis may evict keys that expire: maxmemory-policy is {health.eviction_policy}",
            "A full Redis would forget dedup keys and marks of done jobs early. noeviction keeps them.", None,
        )  # fmt: skip
    if limit and used > MEMORY_SHARE * limit:
        yield Finding(
            "soon", None, "memory",
            f"Redis uses {100 * used // limit} % of its memory limit",
            "At the limit it refuses new jobs; running ones can still be finished.", None,
        )  # fmt: skip
    if health.persistence == "none":
        yield Finding(
            "note", None, "persistence",
            "Redis forgets everything when it restarts",
            "Neither AOF nor snapshots are on, so no promise outlives the server.", None,
        )  # fmt: skip
    elif health.persistence in ("AOF everysec", "snapshots only", "AOF no"):
        yield Finding(
            "note", None, "persistence",
            {
                "AOF everysec": "Redis may forget the last second of writes after a crash",
                "snapshots only": "Redis may forget the writes since its last snapshot after a crash",
                "AOF no": "Redis may forget the last writes after a crash",
            }[health.persistence],
            f"Persistence is {health.persistence}. That bounds what the at-least-once promise covers.", None,
        )  # fmt: skip
    if health.role == "slave":
        yield Finding(
            "soon", None, "replica",
            "This Redis is a replica, so nothing can be changed here",
            "Reading works. Acts need the address of the primary.", None,
        )  # fmt: skip


def janitor_findings(queues: Sequence[QueueSummary], now: float) -> Iterator[Finding]:
    """Return one finding about managed queues that no janitor looks after."""
    silent = [
        queue
        for queue in queues
        if queue.managed
        and queue.policy.reaping == "automatic"
        and (queue.reaped_at is None or now - queue.reaped_at > JANITOR_SILENT_SECONDS)
    ]
    if not silent:
        return
    names = ", ".join(cut(visible_bytes(queue.name), 40) for queue in silent[:3])
    more = f" and {len(silent) - 3:,} more" if len(silent) > 3 else ""
    last = max((queue.reaped_at for queue in silent if queue.reaped_at is not None), default=None)
    lasting = "yet" if last is None else f"for {spoken(now - last)}, since {clock(last)}"
    only = silent[0].name if len(silent) == 1 else None
    yield Finding(
        "soon",
        only,
        "no-janitor",
        f"{names}{more}: no janitor has looked {lasting}",
        "Reaping is automatic there: until a janitor runs, jobs of dead workers stay held.",
        FindingAct("Open queue", "open", only) if only is not None else None,
    )
