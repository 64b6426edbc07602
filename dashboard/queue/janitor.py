"""The janitor runs the passes that keep queues going: watch and reap, adopt, promote, forget, sample.

Owns: which queues it serves, when, and that one bad queue never stops the others. Refuses: to act on a queue
that is neither in the settings nor marked managed: found is not owned. The registry is an index, the policy
decides.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass

import redis

from dashboard.queue import backoff
from dashboard.queue.connections import Connections
from dashboard.queue.errors import BadName, QueueError, ServerAway, ServerRefused
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.permissions import Part
from dashboard.queue.policy import HEARD_WITHIN_SECONDS, Policy
from dashboard.queue.preflight import preflight
from dashboard.queue.promoter import Promoter
from dashboard.queue.reaper import Reaper
from dashboard.queue.registry import registered
from dashboard.queue.sampler import Sampler
from dashboard.queue.scripts import Scripts
from dashboard.queue.shards import Shard, Shards, lists_of, managed_by
from dashboard.queue.tombstones import Tombstones

log = logging.getLogger(__name__)

TICK_SECONDS = 1.0
STOP_LOOK_SECONDS = 0.1
JITTER = 0.2
"""A fifth more or less, so that several janitors do not march in step."""


@dataclass(slots=True)
class Ticked:
    """What one tick did over all queues, and how many of these it could not serve."""

    queue_count: int = 0
    moved_count: int = 0
    dead_count: int = 0
    adopted_count: int = 0
    promoted_count: int = 0
    trouble_count: int = 0


class Janitor:
    """Serves the queues given and every managed one. Several may run at once; none is needed for long."""

    def __init__(
        self, connections: Connections, *, queues: Iterable[bytes] = (), defaults: Policy | None = None
    ) -> None:
        self._given = [QueueKeys(name) for name in queues]
        self._defaults = defaults or Policy()
        self._connections, self._shards = connections, Shards(connections)
        for queue in self._given:
            # Refuses a name without a hash tag where the server is a cluster.
            connections.of(queue)
        self._rounds: dict[bytes, Round] = {}
        self._closed: set[bytes] = set()
        self._stopping = False

    def stop(self) -> None:
        """Let `run` return after the tick that is under way. Takes no lock: safe in a signal handler."""
        self._stopping = True

    def run(self) -> None:
        """Tick about once a second until stopped; an absent server is waited for.

        Raises ServerRefused at the start, before a job is touched, for a server that will not do.
        """
        tries, is_checked = 0, False
        while not self._stopping:
            try:
                if not is_checked:
                    preflight(self._first_looks(), Part.JANITOR)
                    is_checked = True
                self.tick()
                tries = 0
                pause = TICK_SECONDS * random.uniform(1 - JITTER, 1 + JITTER)
            except QueueError as error:
                if not is_checked and isinstance(error, ServerRefused):
                    raise
                tries += 1
                pause = backoff.pause_seconds(tries)
                log.warning("the janitor waits: %s", error)
            self._rest(pause)

    def _rest(self, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        while not self._stopping and (left := ends_at - time.monotonic()) > 0:
            time.sleep(min(STOP_LOOK_SECONDS, left))

    def tick(self) -> Ticked:
        """Serve every queue once. Raises ServerAway, after which watches begin anew, and ServerRefused."""
        try:
            shards, began_anew = self._shards.look(self._defaults.stale_after_seconds)
            policies = self._policies(shards)
            for name, (queue, _) in policies.items():
                if name not in self._rounds:
                    client = self._connections.of(queue).command()
                    self._rounds[name] = Round(client, queue, self._defaults)
            if began_anew:
                self._begin_anew()
            adoptable = [name for name, (_, policy) in policies.items() if _adopts(policy)]
            lists = lists_of(shards, adoptable)
            ticked = Ticked()
            for name, (_, policy) in policies.items():
                self._serve(name, policy, lists.get(name, set()), ticked)
            self._rounds = {name: one for name, one in self._rounds.items() if name in policies}
            return ticked
        except ServerAway:
            self._begin_anew()
            raise

    def _serve(self, name: bytes, policy: Policy, workers: set[bytes], ticked: Ticked) -> None:
        ticked.queue_count += 1
        try:
            troubles = self._rounds[name].serve(policy, workers, ticked)
        except ServerAway as error:
            self._bear(error)
            self._rounds[name].anew, troubles = True, [str(error)]
        for sentence in troubles:
            ticked.trouble_count += 1
            log.warning("queue %s: %s", readable(name), sentence)

    def _first_looks(self) -> list[tuple[redis.Redis, QueueKeys | None]]:
        """Return what is looked at before the first tick: the queues given, or else the servers."""
        given = [(self._connections.of(one).command(), one) for one in self._given]
        return [*given] or [(one.command(), None) for one in self._connections.shards()]

    def _bear(self, error: ServerAway) -> None:
        """Raise the error, unless its server is one of several: the queues of the others are served."""
        if not self._connections.is_cluster:
            raise error

    def _policies(self, shards: list[Shard]) -> dict[bytes, tuple[QueueKeys, Policy]]:
        """Return the queues to serve: those given and the managed ones, in the index or not."""
        given = {queue.queue: queue for queue in self._given}
        candidates = given | managed_by(shards) | self._registered()
        found: dict[bytes, tuple[QueueKeys, Policy]] = {}
        for name, queue in candidates.items():
            try:
                policy = Policy.read(self._connections.of(queue).command(), queue, self._defaults)
            except ServerAway as error:
                self._bear(error)
                continue
            except (ServerRefused, BadName) as error:
                # Another user's queue, most likely. It must not keep ours waiting.
                if name not in self._closed:
                    log.warning("queue %s is passed over: %s", readable(name), error)
                self._closed.add(name)
                continue
            self._closed.discard(name)
            if name in given or policy.managed:
                found[name] = (queue, policy)
        return found

    def _registered(self) -> dict[bytes, QueueKeys]:
        try:
            names = registered(self._connections.of_registry().command())
        except ServerAway as error:
            self._bear(error)
            return {}
        return {queue.queue: queue for queue in names}

    def _begin_anew(self) -> None:
        """Forget since when heartbeats are unchanged: while nobody could write, silence means nothing."""
        self._shards.restart()
        for one in self._rounds.values():
            one.anew = True


class Round:
    """The passes over one queue, and what they remember from one to the next."""

    def __init__(self, client: redis.Redis, queue: QueueKeys, defaults: Policy) -> None:
        scripts = Scripts(client)
        self._reaper = Reaper(client, queue, defaults)
        self._promoter = Promoter(scripts, queue)
        self._tombstones = Tombstones(client, queue)
        self._sampler = Sampler(client, queue)
        self._stale_after_seconds = self._calm_until = 0.0
        self.anew = False

    def serve(self, policy: Policy, workers: set[bytes], ticked: Ticked) -> list[str]:
        """Run every pass; return a sentence for each that could not. Raises ServerAway only."""
        troubles: list[str] = []
        for one_pass in (self._reap, self._promote, self._forget, self._sample):
            try:
                one_pass(policy, workers, ticked)
            except ServerAway:
                raise
            except QueueError as error:
                if str(error) not in troubles:
                    troubles.append(str(error))
        return troubles

    def _reap(self, policy: Policy, workers: set[bytes], ticked: Ticked) -> None:
        now = time.monotonic()
        if policy.stale_after_seconds < self._stale_after_seconds:
            # Workers still beat as the longer threshold let them.
            self._calm_until = now + HEARD_WITHIN_SECONDS
        self._stale_after_seconds = policy.stale_after_seconds
        anew = self.anew or now < self._calm_until
        swept = self._reaper.sweep(policy, workers if _adopts(policy) else (), anew=anew)
        self.anew = False
        ticked.moved_count += swept.moved_count
        ticked.dead_count += swept.dead_count
        ticked.adopted_count += swept.adopted_count

    def _promote(self, _: Policy, __: set[bytes], ticked: Ticked) -> None:
        ticked.promoted_count += self._promoter.sweep()

    def _forget(self, _: Policy, __: set[bytes], ___: Ticked) -> None:
        self._tombstones.step()

    def _sample(self, policy: Policy, __: set[bytes], ___: Ticked) -> None:
        if self._reaper.look is not None:
            self._sampler.step(self._reaper.look, policy)


def _adopts(policy: Policy) -> bool:
    return policy.adopt_orphans and policy.reaping == "automatic"
