"""Dedup keys, marks of done jobs and the preflight on a cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.dedup import Stored
from dashboard.queue.errors import BadName
from dashboard.queue.job import Job, decode
from dashboard.queue.keys import QueueKeys
from dashboard.queue.once import Once
from dashboard.queue.permissions import Part
from dashboard.queue.preflight import preflight
from dashboard.queue.producer import Producer
from tests.support.cluster import Cluster

QUEUES = [QueueKeys(name) for name in ("{jobs}", "{mail}", "shop:{a}:b")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two nodes, so that queues stand on different ones."""
    with Cluster(primary_count=2, replicas_each=0) as cluster:
        yield cluster


@pytest.mark.parametrize("q", QUEUES, ids=lambda q: q.queue.decode())
def test_S58_a_job_under_a_dedup_key_is_stored_once_in_a_queue_with_a_hash_tag(
    cluster: Cluster, q: QueueKeys
) -> None:
    producer = Producer(Connections.from_url(cluster.url), q.queue)
    assert producer.enqueue_once(1, "k{other}", id="a") == Stored("a", True)
    assert producer.enqueue_once(1, "k{other}", id="b", delay_seconds=9) == Stored("a", False)
    with cluster.owner(q.pending).client() as node:
        assert node.llen(q.pending) == 1
        assert node.exists(q.dedup(b"k{other}")) == 1
        assert node.exists(q.delayed) == 0


def test_S58_a_queue_without_a_hash_tag_is_refused_with_nothing_stored(cluster: Cluster) -> None:
    connections = Connections.from_url(cluster.url)
    with pytest.raises(BadName, match="needs a hash tag"):
        Producer(connections, "jobs").enqueue(1, dedup="k")
    for node in cluster.nodes:
        with node.client() as client:
            assert client.keys("jobs:*") == []


def test_a_job_is_run_once_on_a_cluster(cluster: Cluster) -> None:
    ran: list[Job] = []
    guarded = Once(ran.append, cluster.url, "{mail}")
    for _ in range(2):
        guarded(decode(b'{"id":"a"}'))
    assert len(ran) == 1


def test_permissions_are_asked_of_the_node_that_owns_the_queue(cluster: Cluster) -> None:
    connections = Connections.from_url(cluster.url)
    warnings = preflight([(connections.of(q).command(), q) for q in QUEUES], Part.WORKER)
    assert all("restarts" in warning for warning in warnings)
