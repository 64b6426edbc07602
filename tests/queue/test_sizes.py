"""Sizes of jobs: the limit at enqueue, and foreign jobs that know no limit."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.errors import JobTooLarge
from dashboard.queue.job import JOB_BYTES_MAX
from dashboard.queue.producer import Producer
from tests.queue.running import Client, Q, held, janitor, pending, ran, supervisor
from tests.support.keyspace import all_keys
from tests.support.processes import wait_until

MB = 1_048_576


def url_of(client: Client) -> str:
    return f"redis://127.0.0.1:{client.connection_pool.connection_kwargs['port']}/0"


def test_S48_payloads_of_nothing_and_of_a_megabyte_are_stored_and_run(each_client: Client) -> None:
    producer = Producer(Connections.from_url(url_of(each_client)), "q")
    producer.enqueue("", id="nothing")
    producer.enqueue(None, id="null")
    producer.enqueue("x" * MB, id="megabyte")
    assert [len(json.loads(raw)["payload"] or "") for raw in pending(each_client)] == [0, 0, MB]
    with supervisor(url_of(each_client)):
        wait_until(lambda: ran(each_client) == ["nothing", "null", "megabyte"], 20, "all run")
        wait_until(lambda: held(each_client) == {}, 10, "all are acknowledged")


OVER = "x" * JOB_BYTES_MAX
CALLS: dict[str, Callable[[Producer], object]] = {
    "now": lambda producer: producer.enqueue(OVER),
    "later": lambda producer: producer.enqueue_in(OVER, 60),
    "many": lambda producer: producer.enqueue_many(["small", OVER]),
    "once": lambda producer: producer.enqueue(OVER, dedup="k"),
}


@pytest.mark.parametrize("how", CALLS)
def test_S48_a_job_over_the_limit_is_refused_at_enqueue_with_nothing_stored(
    each_client: Client, how: str
) -> None:
    producer = Producer(Connections.from_url(url_of(each_client)), "q")
    with pytest.raises(JobTooLarge, match=r"the limit is 1,114,112\. Nothing was enqueued"):
        CALLS[how](producer)
    assert all_keys(each_client) == []


@pytest.fixture
def roomy(each_client: Client) -> Client:
    """A client that waits longer: 64 MB take their time on a busy machine."""
    port = each_client.connection_pool.connection_kwargs["port"]
    return redis.Redis(host="127.0.0.1", port=port, protocol=2, socket_timeout=60)


def test_S48_a_foreign_job_of_64_megabytes_is_reaped_with_its_other_bytes_as_they_are_and_flagged(
    roomy: Client,
) -> None:
    head, tail = b'{"id":"huge","payload":"', b'","attempts":0}'
    raw = head + b"y" * (64 * MB - len(head) - len(tail)) + tail
    small = b'{"id":"small","payload":1,"attempts":0}'
    roomy.rpush(Q.processing(b"w"), small, raw)
    roomy.hset(Q.heartbeats, "w", roomy.time()[0] - 3600)
    roomy.hset(Q.policy, "managed", "1")
    with janitor(url_of(roomy), "q"):
        wait_until(lambda: roomy.llen(Q.pending) == 2, 60, "both are back")
    assert roomy.exists(Q.processing(b"w")) == 0
    assert roomy.hexists(Q.heartbeats, "w") is False
    assert roomy.lindex(Q.pending, -1) == raw[:-2] + b"1}"
    assert roomy.lindex(Q.pending, 0) == small[:-2] + b"1}"
    inspector = Inspector(roomy)
    rows = inspector.jobs(b"q", "pending").rows
    inspector.close()
    assert [(row.id_text, row.mark, row.length) for row in rows] == [
        ("huge", "large", 64 * MB), ("small", "", len(small)),
    ]  # fmt: skip
    roomy.flushall()
