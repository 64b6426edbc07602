"""A replica in place of a primary: everything says so, nothing ends, and all begins when it takes writes."""

from __future__ import annotations

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerRefused
from dashboard.queue.janitor import Janitor
from dashboard.queue.producer import Producer
from tests.queue.running import POLICY, Q, push, ran, supervisor, worker
from tests.support.keyspace import dumps
from tests.support.processes import wait_until
from tests.support.replicas import ReplicaPair
from tests.support.server import Kind, ValkeyServer

READ_ONLY = "This Redis is a read-only replica (READONLY). Nothing was changed."


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S60_on_a_replica_producer_and_janitor_are_refused_and_nothing_moves(kind: Kind) -> None:
    with ReplicaPair(kind) as pair, pair.client() as primary:
        push(primary, "a")
        primary.zadd(Q.delayed, {b'{"id":"due","attempts":0}': 1})
        primary.lpush(Q.processing(b"ghost"), b'{"id":"held","attempts":0}')
        pair.wait_in_step()
        before = dumps(primary)
        connections = Connections.from_url(pair.replicas[0].url)
        with pytest.raises(ServerRefused) as caught:
            Producer(connections, "q").enqueue({})
        assert (caught.value.code, str(caught.value)) == ("READONLY", READ_ONLY)
        keeper = Janitor(connections, queues=[b"q"], defaults=POLICY)
        for _ in range(2):
            ticked = keeper.tick()
            assert (ticked.queue_count, ticked.moved_count, ticked.promoted_count) == (1, 0, 0)
            assert ticked.trouble_count > 0
        assert dumps(primary) == before


@pytest.mark.parametrize("kind", ["supervisor", "worker"])
def test_S60_a_worker_on_a_replica_touches_nothing_and_begins_when_it_is_made_the_primary(kind: str) -> None:
    with ReplicaPair() as pair, ValkeyServer() as notes, pair.client() as primary:
        push(primary, "a")
        pair.wait_in_step()
        start = {"supervisor": supervisor, "worker": worker}[kind]
        with start(pair.replicas[0].url, runs_url=notes.url) as process:
            process.wait_for_output(READ_ONLY, 30)
            assert primary.keys() == [Q.pending]
            pair.failover()
            wait_until(lambda: ran(notes.client()) == ["a"], 40, "the job runs")
            process.signal(15)
            assert process.wait(30) == 0, process.output()
        with pair.client() as client:
            assert not client.exists(Q.pending, Q.processing(b""), Q.heartbeats)
