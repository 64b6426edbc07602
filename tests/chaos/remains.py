"""What is left in Redis after a storm, and what the flight recorder says about the jobs of that queue.

Owns: reading both, whole. Refuses: to judge (`checker` does).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboard.queue.keys import QueueKeys, scan_pattern


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of `{q}:events`. `at` is monotonic time of this machine.

    `edges` are the moves that it tells of: digest of a job's bytes before, and after. The counter is one
    higher after each.
    """

    at: float
    kind: str
    worker: bytes
    why: str = ""
    edges: tuple[tuple[str, str], ...] = ()

    @property
    def pid(self) -> int:
        """The process id in the worker's name; 0 where the name is no default one."""
        words = self.worker.split(b":")
        return int(words[1]) if len(words) == 3 and words[1].isdigit() else 0


@dataclass
class Remains:
    """Every key that says where a job is, and the events. `held` is by worker, empty lists are not in it."""

    pending: list[bytes] = field(default_factory=list)
    delayed: list[bytes] = field(default_factory=list)
    dead: list[bytes] = field(default_factory=list)
    held: dict[bytes, list[bytes]] = field(default_factory=dict)
    heartbeats: set[bytes] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)


def event_of(entry_id: bytes, fields: Mapping[bytes, bytes], wall_offset: float) -> Event:
    """Read one entry of the stream; its id is the server's clock in milliseconds."""
    kind = fields[b"event"].decode()
    edges = []
    if kind == "reaped":
        for move in fields.get(b"jobs", b"").decode().split():
            before, _, after = move.partition(">")
            edges.append((before, after))
    elif b"from" in fields:
        edges.append((fields[b"from"].decode(), fields[b"to"].decode()))
    at = int(entry_id.split(b"-")[0]) / 1000 - wall_offset
    return Event(at, kind, fields.get(b"worker", b""), fields.get(b"why", b"").decode(), tuple(edges))


def look(client: Any, queue: QueueKeys, wall_offset: float) -> Remains:
    """Read all of it, at a time when nobody works."""
    remains = Remains(
        client.lrange(queue.pending, 0, -1),
        client.zrange(queue.delayed, 0, -1),
        client.lrange(queue.dead, 0, -1),
        heartbeats=set(client.hkeys(queue.heartbeats)),
    )
    remains.held = held(client, queue)
    remains.events = [
        event_of(entry_id, fields, wall_offset) for entry_id, fields in client.xrange(queue.events)
    ]
    return remains


def held(client: Any, queue: QueueKeys) -> dict[bytes, list[bytes]]:
    """What every worker holds, newest first."""
    prefix = queue.processing(b"")
    keys = client.scan_iter(match=scan_pattern(queue.queue), count=1000)
    return {key[len(prefix) :]: client.lrange(key, 0, -1) for key in keys}
