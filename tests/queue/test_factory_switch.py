"""Workers and a janitor in a cluster that loses a primary: all goes on where the slot is served again."""

from __future__ import annotations

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import OutcomeUnknown, ServerAway
from dashboard.queue.keys import QueueKeys
from dashboard.queue.producer import Producer
from tests.queue.running import janitor, ran, supervisor, worker
from tests.support.cluster import Cluster
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer

HERE, THERE = QueueKeys("{q}"), QueueKeys("{b}")
"""Two queues whose slots are owned by different nodes."""


def enqueued(producer: Producer, job_id: str) -> bool:
    """Whether the job went in; what is not known counts as not: a second copy of it would run as well."""
    try:
        producer.enqueue({}, id=job_id)
    except (ServerAway, OutcomeUnknown):
        return False
    return True


@pytest.mark.parametrize(("kind", "server"), [("supervisor", "valkey"), ("worker", "redis")])
def test_a_worker_of_two_nodes_goes_on_with_one_at_once_and_with_the_other_after_the_failover(
    kind: str, server: Kind
) -> None:
    with Cluster(server) as cluster, ValkeyServer() as notes, notes.client() as noted:
        here, there = (Producer(Connections.from_url(cluster.url), one.queue) for one in (HERE, THERE))
        assert cluster.owner(HERE.pending) is not cluster.owner(THERE.pending)
        queues = [HERE.queue.decode(), THERE.queue.decode()]
        start = {"supervisor": supervisor, "worker": worker}[kind]
        with (
            start(cluster.url, queue=queues, runs_url=notes.url) as process,
            janitor(cluster.url, *queues) as keeper,
        ):
            here.enqueue({}, id="here-1")
            there.enqueue({}, id="there-1")
            wait_until(lambda: set(ran(noted)) == {"here-1", "there-1"}, 40, "both queues are served")
            confirmed = here.enqueue_in({}, 0.5)
            with cluster.owner(HERE.pending).client() as client:
                assert client.wait(1, 5000) == 1
            before = cluster.kill(HERE.pending)
            wait_until(lambda: enqueued(there, "there-2"), 30, "the other node takes jobs", every_seconds=0.1)
            wait_until(lambda: "there-2" in ran(noted), 30, "the other node's queue is served")
            cluster.wait_for_switch(HERE.pending, before)
            wait_until(lambda: enqueued(here, "here-2"), 30, "the replica takes jobs", every_seconds=0.1)
            wait_until(lambda: {"here-2", confirmed} <= set(ran(noted)), 60, "the lost queue is served again")
            assert keeper.is_running(), keeper.output()
            process.signal(15)
            assert process.wait(30) == 0, process.output()
        with cluster.client() as left:
            for queue in (HERE, THERE):
                assert left.exists(queue.pending, queue.delayed, queue.dead) == 0
                assert left.hlen(queue.heartbeats) == 0


def test_a_frozen_owner_is_left_for_its_replica_and_left_alone_when_it_thaws() -> None:
    with Cluster() as cluster, ValkeyServer() as notes, notes.client() as noted:
        producer = Producer(Connections.from_url(cluster.url), HERE.queue)
        with supervisor(cluster.url, queue=HERE.queue.decode(), runs_url=notes.url) as process:
            producer.enqueue({}, id="before")
            wait_until(lambda: ran(noted) == ["before"], 40, "the queue is served")
            before = cluster.freeze(HERE.pending)
            after = cluster.wait_for_switch(HERE.pending, before)
            wait_until(
                lambda: enqueued(producer, "meanwhile"), 30, "the replica takes jobs", every_seconds=0.1
            )
            wait_until(lambda: "meanwhile" in ran(noted), 60, "the queue is served again")
            before.thaw()
            wait_until(lambda: before.ask("ROLE")[0] == b"slave", 40, "the old owner follows the new one")
            producer.enqueue({}, id="after")
            wait_until(lambda: "after" in ran(noted), 40, "the new owner is still served")
            assert cluster.owner(HERE.pending) is after
            process.signal(15)
            assert process.wait(30) == 0, process.output()
        with cluster.client() as left:
            assert left.exists(HERE.pending, HERE.delayed, HERE.dead) == 0


def test_a_child_that_was_killed_is_seen_off_on_the_node_of_its_queue() -> None:
    with Cluster(replicas_each=0) as cluster, ValkeyServer() as notes, notes.client() as noted:
        producer = Producer(Connections.from_url(cluster.url), THERE.queue)
        with supervisor(cluster.url, queue=THERE.queue.decode(), runs_url=notes.url) as process:
            producer.enqueue({"exit": 9}, id="poison")
            producer.enqueue({}, id="after")
            wait_until(lambda: "after" in ran(noted), 40, "the next child runs the other job")
            with cluster.client() as client:
                wait_until(lambda: client.llen(THERE.dead) == 1, 60, "the poison is dead")
                wait_until(lambda: client.hlen(THERE.heartbeats) == 1, 20, "the dead children are seen off")
            process.signal(15)
            assert process.wait(30) == 0, process.output()
