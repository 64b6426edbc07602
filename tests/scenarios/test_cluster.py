"""S58: in a cluster of either server a queue with a hash tag works, and one without is refused."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import BadName
from dashboard.queue.janitor import Janitor
from dashboard.queue.job import Job
from dashboard.queue.keys import QueueKeys
from dashboard.queue.producer import Producer
from dashboard.queue.worker import Worker
from tests.queue.running import POLICY
from tests.support.cluster import Cluster
from tests.support.processes import wait_until
from tests.support.server import Kind

JOBS = QueueKeys("{jobs}")


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S58_a_queue_with_a_hash_tag_works_and_one_without_is_refused_with_a_clear_sentence(
    kind: Kind,
) -> None:
    runs: Counter[object] = Counter()

    def handler(job: Job) -> None:
        runs[job.id] += 1
        if job.payload == "fails" and job.attempts == 0:
            raise ValueError("once")

    with Cluster(kind, replicas_each=0) as cluster, cluster.client() as client:
        connections = Connections.from_url(cluster.url)
        for build in (
            lambda: Producer(connections, "jobs"),
            lambda: Worker(connections, "jobs", handler),
            lambda: Janitor(connections, queues=[b"jobs"]),
        ):
            with pytest.raises(BadName, match=r"needs a hash tag, for example \{jobs\} in place of jobs"):
                build()
        assert client.dbsize(target_nodes=client.PRIMARIES) == 0
        worker = Worker(connections, JOBS.queue, handler, batch=3, defaults=POLICY)
        janitor = Janitor(connections, queues=[JOBS.queue], defaults=POLICY)
        loops = [threading.Thread(target=one.run) for one in (worker, janitor)]
        for loop in loops:
            loop.start()
        try:
            made = Producer(connections, JOBS.queue).enqueue_many(["well"] * 20 + ["fails"])
            wait_until(lambda: sum(runs.values()) == 22, 20, "all run, and the failed one again")
            wait_until(lambda: client.hget(JOBS.stats, "acked") == b"21", 5, "all are acknowledged")
        finally:
            worker.stop()
            janitor.stop()
            for loop in loops:
                loop.join(20)
        assert runs == dict.fromkeys(made, 1) | {made[-1]: 2}
        assert client.hlen(JOBS.heartbeats) == 0
        assert not any(client.exists(key) for key in (JOBS.pending, JOBS.delayed, JOBS.dead))
