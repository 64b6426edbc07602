"""A cluster: queues with a hash tag are read like others, one key slot at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from dashboard.inspector import Inspector
from tests.inspector.jobs import job
from tests.support.cluster import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[redis.RedisCluster]:
    """A client of a cluster of one node."""
    with Cluster(primary_count=1, replicas_each=0) as one:
        client = one.client()
        yield client
        client.close()


def test_a_tagged_queue_is_read_whole(cluster: redis.RedisCluster) -> None:
    cluster.rpush("{jobs}:pending", job("1"))
    cluster.rpush("{jobs}:dead", job("2"))
    cluster.rpush("{jobs}:processing:w", job("3"))
    cluster.zadd("{jobs}:delayed", {job("4"): 5.0})
    cluster.hset("{jobs}:heartbeats", "v", "1")
    inspector = Inspector(cluster)  # type: ignore[arg-type]
    view = inspector.overview()
    assert [queue.name for queue in view.queues] == [b"{jobs}"]
    assert (view.queues[0].depths.pending, view.queues[0].depths.dead, view.queues[0].depths.delayed) == (
        1,
        1,
        1,
    )
    page = inspector.queue(b"{jobs}")
    assert {place: [row.id_text for row in shown.rows] for place, shown in page.lists.items()} == {
        "pending": ["1"], "processing": ["3"], "delayed": ["4"], "dead": ["2"],
    }  # fmt: skip
    assert [row.name for row in inspector.workers().rows] == [b"w", b"v"]
    assert inspector.job(b"{jobs}", None, "2").place == "dead"
    assert inspector.shell().health.mode == "cluster"
    inspector.close()


def test_an_untagged_queue_is_read_as_well(cluster: redis.RedisCluster) -> None:
    cluster.rpush("{jobs}:pending", job("1"))
    cluster.rpush("untagged:pending", job("1"))
    inspector = Inspector(cluster)  # type: ignore[arg-type]
    assert {queue.name for queue in inspector.overview().queues} == {b"{jobs}", b"untagged"}
    assert inspector.queue(b"{jobs}").summary.depths.pending
    assert [row.id_text for row in inspector.queue(b"untagged").lists["pending"].rows] == ["1"]
    inspector.close()
