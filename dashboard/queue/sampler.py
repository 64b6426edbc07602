"""The sampler writes the flight recorder's numbers: `{q}:samples` and its coarser copies.

Owns: when a sample is due, and what a janitor knows of workers at that instant. Refuses: to fail anybody
else's pass, and to take room that a full server needs for jobs; what was not written stays a gap.
"""

from __future__ import annotations

from collections import Counter

import redis

from dashboard.queue.errors import ServerRefused
from dashboard.queue.holdings import held_counts
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import State, judge
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.watching import Look

STEP_SECONDS = 10
"""One sample in each bucket of this length, as lua/sample.lua has it."""

COUNTED_STATES = (State.ALIVE, State.LATE, State.SILENT, State.STALE)


class Sampler:
    """Samples one queue. Several may: the server keeps the first sample of each bucket."""

    def __init__(self, client: redis.Redis, queue: QueueKeys) -> None:
        self._client, self._q = client, queue
        self._scripts = Scripts(client)
        self._bucket = -1

    def step(self, look: Look, policy: Policy) -> int:
        """Write a sample if none was tried in this bucket of time; return how many streams took it.

        Raises ServerAway, WrongKeyType for a key of another type, and ServerRefused, but not for a full
        memory.
        """
        bucket = int(look.now // STEP_SECONDS)
        if bucket == self._bucket:
            return 0
        self._bucket = bucket
        try:
            return self._scripts.sample(self._q, self._figures(look, policy)).count
        except ServerRefused as error:
            if error.code != "OOM":
                raise
            return 0

    def _figures(self, look: Look, policy: Policy) -> dict[str, int]:
        held = held_counts(self._client, self._q, look.workers)
        states = Counter(
            judge(value, watch, look.now, policy, held[worker] or 0).state
            for worker, (value, watch) in look.workers.items()
        )
        return {"held": sum(count or 0 for count in held.values())} | {
            state.value: states[state] for state in COUNTED_STATES
        }
