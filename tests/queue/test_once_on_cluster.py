"""Dedup keys, marks of done jobs and the preflight on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest

from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.dedup import Stored
from dashboard.queue.errors import BadName
from dashboard.queue.janitor import Janitor
from dashboard.queue.job import Job, decode
from dashboard.queue.keys import QueueKeys
from dashboard.queue.once import Once
from dashboard.queue.permissions import Part
from dashboard.queue.preflight import preflight
from dashboard.queue.producer import Producer
from dashboard.queue.worker import Worker
from tests.inspector.test_bad_data import read_everything
from tests.queue.running import POLICY
from tests.support.cluster import Cluster
from tests.support.processes import wait_until
from tests.support.redis_user import NAME, PASSWORD, make_user, rules_for_clusters

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


def test_S57_on_a_cluster_the_documented_user_enqueues_works_reaps_and_looks(cluster: Cluster) -> None:
    for node in cluster.nodes:
        with node.client() as admin:
            make_user(admin, "{jobs}:*", *rules_for_clusters())
            admin.acl_log_reset()
    addresses = ",".join(f"127.0.0.1:{node.port}" for node in cluster.nodes)
    url = f"redis+cluster://{NAME}:{PASSWORD}@{addresses}"
    q, done = QUEUES[0], list[object]()
    with cluster.owner(q.pending).client() as node:
        node.delete(q.pending, q.dedup(b"k"))
        node.zadd(q.delayed, {'{"id":"due"}': 1})
        Producer(Connections.from_url(url), q.queue).enqueue(1, id="a", dedup="k")
        worker = Worker(Connections.from_url(url), q.queue, lambda job: done.append(job.id), defaults=POLICY)
        janitor = Janitor(Connections.from_url(url), queues=[q.queue], defaults=POLICY)
        threads = [Thread(target=one.run) for one in (worker, janitor)]
        for thread in threads:
            thread.start()
        wait_until(lambda: set(done) == {"a", "due"}, 30, "what was pending and what was due have run")
        worker.stop()
        janitor.stop()
        for thread in threads:
            thread.join(20)
        node.rpush(q.dead, '{"id":"x"}')
    inspector = Inspector(Connections.from_url(url).command(), queues=[q.queue])
    read_everything(inspector, q.queue)
    inspector.close()
    for one in cluster.nodes:
        with one.client() as admin:
            denied = [(entry["reason"], entry["object"]) for entry in admin.acl_log()]
            assert {reason for reason, _ in denied} <= {"key"}, denied
            assert not any(name.startswith("{jobs}") for _, name in denied)
