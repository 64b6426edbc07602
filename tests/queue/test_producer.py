"""The producer: what is stored, in which order, and what it says when it is not sure."""

from __future__ import annotations

import json
import time

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import (
    AlreadyDelayed,
    JobTooLarge,
    OutcomeUnknown,
    ReservedName,
    ServerAway,
    WrongKeyType,
)
from dashboard.queue.keys import REGISTRY
from dashboard.queue.producer import Producer
from dashboard.queue.scripts import Scripts
from tests.queue.running import Client, Q, ids, pending
from tests.support.keyspace import snapshot
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer, free_port


@pytest.fixture
def producer(redis_url: str) -> Producer:
    return Producer(Connections.from_url(redis_url), "q")


def test_a_job_is_stored_once_with_its_counter_last_and_its_queue_is_managed(
    producer: Producer, redis_client: Client
) -> None:
    before = time.time()
    job_id = producer.enqueue({"to": "a@b.c", "big": 2**70}, name="welcome")
    (raw,) = pending(redis_client)
    job = json.loads(raw)
    assert job == {
        "id": job_id,
        "name": "welcome",
        "enqueued_at": job["enqueued_at"],
        "payload": {"to": "a@b.c", "big": 2**70},
        "attempts": 0,
    }
    assert abs(job["enqueued_at"] - before) < 5
    assert raw.endswith(b'"attempts":0}')
    assert set(snapshot(redis_client, Q)) == {"pending", "policy", "stats", "watchkeeper:queues"}
    assert redis_client.hgetall(Q.policy) == {b"managed": b"1"}
    assert redis_client.smembers(REGISTRY) == {b"q"}


def test_a_given_id_is_kept_whatever_json_it_is(producer: Producer, redis_client: Client) -> None:
    assert producer.enqueue(None, id=17) == 17
    assert json.loads(pending(redis_client)[0])["id"] == 17


def test_many_jobs_keep_their_order_over_several_calls(producer: Producer, redis_client: Client) -> None:
    made = producer.enqueue_many({"n": n} for n in range(250))
    assert ids(pending(redis_client)) == made
    assert redis_client.hget(Q.stats, "enqueued") == b"250"


def test_jobs_of_half_a_megabyte_go_in_calls_of_a_megabyte(producer: Producer, redis_client: Client) -> None:
    redis_client.config_resetstat()
    made = producer.enqueue_many(["x" * 500_000] * 5)
    assert ids(pending(redis_client)) == made
    calls = redis_client.info("commandstats")["cmdstat_lpush"]["calls"]
    assert calls == 3


def test_a_job_over_the_limit_is_refused_before_anything_is_stored(
    redis_url: str, redis_client: Client
) -> None:
    producer = Producer(Connections.from_url(redis_url), "q", max_job_bytes=200)
    with pytest.raises(JobTooLarge, match=r"the limit is 200\. Nothing was enqueued"):
        producer.enqueue_many(["small", "x" * 200])
    assert snapshot(redis_client, Q) == {}


@pytest.mark.parametrize("payload", [float("nan"), {1, 2}, b"bytes"])
def test_a_payload_that_is_no_json_is_refused_before_anything_is_stored(
    producer: Producer, redis_client: Client, payload: object
) -> None:
    with pytest.raises((TypeError, ValueError)):
        producer.enqueue(payload)
    assert snapshot(redis_client, Q) == {}


def test_a_delayed_job_is_due_by_the_servers_clock(producer: Producer, redis_client: Client) -> None:
    producer.enqueue_in("soon", 60, id="a")
    producer.enqueue_at("then", 4_000_000_000, id="b")
    seconds, _ = redis_client.time()
    (first, due), (second, then) = redis_client.zrange(Q.delayed, 0, -1, withscores=True)
    assert ids([first, second]) == ["a", "b"]
    assert 58 <= due - seconds <= 62
    assert then == 4_000_000_000
    assert pending(redis_client) == []


def test_S25_equal_bytes_delayed_again_are_reported_and_the_first_due_time_stays(
    producer: Producer, redis_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.queue.job.time.time", lambda: 1_800_000_000.0)
    producer.enqueue_at({"n": 1}, 4_000_000_000, id="a")
    before = redis_client.zrange(Q.delayed, 0, -1, withscores=True)
    with pytest.raises(AlreadyDelayed, match="Job 'a' of queue q is delayed already"):
        producer.enqueue_at({"n": 1}, 5_000_000_000, id="a")
    assert redis_client.zrange(Q.delayed, 0, -1, withscores=True) == before


def test_a_pending_key_of_another_type_is_named_and_nothing_is_stored(
    producer: Producer, redis_client: Client
) -> None:
    redis_client.set(Q.pending, "mine")
    with pytest.raises(WrongKeyType, match="q:pending is a string in Redis, not a list"):
        producer.enqueue(1)
    assert snapshot(redis_client, Q) == {"pending": b"mine"}


def test_an_index_of_another_type_does_not_keep_a_job_from_being_stored(
    producer: Producer, redis_client: Client
) -> None:
    redis_client.set(REGISTRY, "mine")
    producer.enqueue(1, id="a")
    assert ids(pending(redis_client)) == ["a"]


def test_S47_reserved_names_are_refused_and_odd_ones_work(redis_url: str, redis_client: Client) -> None:
    connections = Connections.from_url(redis_url)
    with pytest.raises(ReservedName):
        Producer(connections, "mail:pending")
    name = b'*?[]{} "\xff'
    Producer(connections, name).enqueue(1, id="a")
    assert redis_client.llen(name + b":pending") == 1


def test_without_a_server_nothing_was_enqueued_and_the_error_says_so() -> None:
    producer = Producer(Connections.from_url(f"redis://127.0.0.1:{free_port()}/0"), "q")
    with pytest.raises(ServerAway, match=r"cannot be reached\. Nothing was enqueued to q\."):
        producer.enqueue(1)


def test_S6_a_lost_reply_is_an_unknown_outcome_with_one_copy(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    with Proxy(shared_server.port) as proxy:
        producer = Producer(Connections.from_url(proxy.url), "q")
        producer.enqueue(1, id="a")
        proxy.lose_replies(to=b"EVALSHA", count=1)
        with pytest.raises(OutcomeUnknown, match=r"It is not known whether 1 job\(s\) were enqueued to q"):
            producer.enqueue(2, id="b")
        producer.enqueue(3, id="c")
    assert ids(pending(redis_client)) == ["a", "b", "c"]


def test_a_server_that_forgot_its_scripts_is_told_again(producer: Producer, redis_client: Client) -> None:
    producer.enqueue(1, id="a")
    redis_client.script_flush()
    producer.enqueue(2, id="b")
    Scripts(redis_client)
    assert ids(pending(redis_client)) == ["a", "b"]
