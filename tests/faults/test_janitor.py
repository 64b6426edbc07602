"""A janitor whose replies are lost: what is to be reaped, adopted, promoted and forgotten is, once.

After a loss it watches anew for the whole threshold. So each loss has a queue, a janitor and a proxy of its
own, and all of them wait at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerAway
from dashboard.queue.janitor import Janitor
from dashboard.queue.keys import QueueKeys
from tests.faults.every_reply import transcript
from tests.queue.running import POLICY, Client, attempts, ids, pending
from tests.support.processes import wait_until
from tests.support.proxy import Fault, Proxy
from tests.support.server import ValkeyServer

DAYS_2 = 2 * 86_400
TICKS = 3


class Household:
    """One queue with everything that a janitor looks after, its janitor, and the proxy between."""

    def __init__(self, client: Client, port: int, name: bytes) -> None:
        self.client, self.q, self.proxy = client, QueueKeys(name), Proxy(port)
        self._furnish()
        connections = Connections.from_url(self.proxy.url)
        self.janitor = Janitor(connections, queues=[name], defaults=POLICY)
        self.away_count = 0

    def _furnish(self) -> None:
        now = self.client.time()[0]
        pipe = self.client.pipeline(transaction=False)
        pipe.lpush(self.q.processing(b"stale"), job(b"a", 0), job(b"b", 3))
        pipe.lpush(self.q.processing(b"orphan"), job(b"c", 0))
        pipe.lpush(self.q.processing(b"alive"), job(b"f", 0))
        pipe.zadd(self.q.delayed, {job(b"d", 1): now - 5, job(b"e", 1): now + 3600})
        beats = {b"stale": now - 600, b"gone": now - DAYS_2, b"alive": now}
        pipe.hset(self.q.heartbeats, mapping=beats)
        watched = {name: f"{beat} {now} {beat}" for name, beat in beats.items()}
        pipe.hset(self.q.watch, mapping=watched)
        pipe.hset(self.q.workers, b"t:stopped", b'{"state":"stopped","at":"%d"}' % (now - DAYS_2))
        pipe.execute()

    def tick(self) -> None:
        """Let the janitor do one tick; an absent server is an error that it knows."""
        self.client.hset(self.q.heartbeats, b"alive", self.client.time()[0])
        try:
            self.janitor.tick()
        except ServerAway:
            self.away_count += 1

    def is_in_order(self) -> bool:
        """Whether each job is where it belongs, with the counter that it should have."""
        waiting = pending(self.client, self.q.queue.decode())
        dead = self.client.lrange(self.q.dead, 0, -1)
        found = dict(zip(ids(waiting), attempts(waiting), strict=True))
        if len(waiting) != 3 or not dead:
            return False
        assert found == {"a": 1, "c": 1, "d": 1}
        assert (ids(dead), attempts(dead)) == (["b"], [4])
        assert ids(self.client.zrange(self.q.delayed, 0, -1)) == ["e"]
        assert ids(self.client.lrange(self.q.processing(b"alive"), 0, -1)) == ["f"]
        assert not self.client.exists(self.q.processing(b"stale"), self.q.processing(b"orphan"))
        return set(self.client.hkeys(self.q.heartbeats)) == {b"alive"}


def job(job_id: bytes, attempts: int) -> bytes:
    """A job as a foreign producer writes it."""
    return b'{"id":"%s","payload":null,"attempts":%d}' % (job_id, attempts)


def test_every_job_is_given_back_once(
    valkey_server: ValkeyServer, redis_client: Client, fault: Fault
) -> None:
    with ExitStack() as stack:

        def household(name: bytes) -> Household:
            one = Household(redis_client, valkey_server.port, name)
            stack.enter_context(one.proxy)
            return one

        first = household(b"without")
        redis_client.script_flush()
        for _ in range(TICKS):
            first.tick()
        count = len(first.proxy.requests)
        assert count > 25
        homes = [first]
        for number in range(1, count + 1):
            home = household(b"queue %d" % number)
            home.proxy.fail_reply(number, fault)
            redis_client.script_flush()
            for _ in range(TICKS + 2):
                if not home.proxy.lost_count:
                    home.tick()
            homes.append(home)
            assert (home.proxy.lost_count, home.away_count) == (1, 1), transcript(home.proxy)
        wait_until(lambda: all_in_order(homes), 30, "all is in order", every_seconds=0.2)
        for home in homes:
            assert redis_client.hget(home.q.stats, "reaped") == b"2", transcript(home.proxy)
            assert redis_client.hget(home.q.stats, "promoted") == b"1"


def all_in_order(homes: Iterable[Household]) -> bool:
    """Tick wherever something is left to do."""
    left = [home for home in homes if not home.is_in_order()]
    for home in left:
        home.tick()
    return not left
