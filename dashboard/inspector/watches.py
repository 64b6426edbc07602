"""Since when each heartbeat value has been seen, as this console process keeps it up.

Owns: one look over a queue's heartbeats, in memory for every queue, and the writes to `{q}:watch` of managed
queues, the only thing that the inspector ever writes. Refuses: to write for a queue that was merely found,
and to write while somebody else keeps the watch (a janitor does so every second).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.inspector.reading import Command
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import Watch, look
from dashboard.queue.policy import Policy
from dashboard.queue.watching import NOTE_SHARE

FIELDS_A_COMMAND = 1_000


@dataclass(slots=True)
class Watches:
    """The memory of one process, by queue and worker."""

    _memory: dict[bytes, dict[bytes, Watch]] = field(default_factory=dict)

    def look(
        self,
        queue: bytes,
        beats: Mapping[bytes, bytes],
        stored: Mapping[bytes, bytes],
        now: float,
        policy: Policy,
    ) -> dict[bytes, Watch]:
        """Return the watch of each worker after this look, and remember it. `stored` is `{q}:watch`."""
        before = self._memory.get(queue, {})
        after = {
            worker: look(_longer(before.get(worker), Watch.parse(stored.get(worker)), value, now, policy),
                         value, now, policy)
            for worker, value in beats.items()
        }  # fmt: skip
        self._memory[queue] = after
        return after

    def keep_only(self, queues: set[bytes]) -> None:
        """Forget queues that are no longer there."""
        for queue in self._memory.keys() - queues:
            del self._memory[queue]


def notes(
    q: QueueKeys, after: Mapping[bytes, Watch], stored: Mapping[bytes, bytes], now: float, policy: Policy
) -> list[Command]:
    """Return the writes that keep `{q}:watch` up: what nobody has noted for a quarter of the threshold."""
    due: list[bytes] = []
    for worker, watch in after.items():
        noted = Watch.parse(stored.get(worker))
        if noted is None or not 0 <= now - noted.last_seen < NOTE_SHARE * policy.stale_after_seconds:
            due += [worker, watch.to_bytes()]
    gone = [worker for worker in stored if worker not in after] if due else []
    step = 2 * FIELDS_A_COMMAND
    commands: list[Command] = [
        ("HSET", q.watch, *due[start : start + step]) for start in range(0, len(due), step)
    ]
    if gone:
        commands.append(("HDEL", q.watch, *gone[:FIELDS_A_COMMAND]))
    return commands


def _longer(
    mine: Watch | None, stored: Watch | None, value: bytes, now: float, policy: Policy
) -> Watch | None:
    """Return the watch that knows this value for longer, of those that were kept up; else the newer one."""
    if mine is None or stored is None:
        return mine or stored
    knowing = [
        watch
        for watch in (mine, stored)
        if watch.value == value and 0 <= now - watch.last_seen <= policy.stale_after_seconds
    ]
    if knowing:
        return min(knowing, key=lambda watch: (watch.first_seen, not watch.changed))
    return max((mine, stored), key=lambda watch: watch.last_seen)
