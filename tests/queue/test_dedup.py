"""Dedup keys: one job within the time, whatever becomes of replies, and an honest answer about which one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.queue import dedup, lua_source
from dashboard.queue.connections import Connections
from dashboard.queue.dedup import Stored
from dashboard.queue.errors import (
    AlreadyDelayed,
    BadName,
    JobTooLarge,
    OutcomeUnknown,
    ServerAway,
    ServerRefused,
    WrongKeyType,
)
from dashboard.queue.producer import Producer
from dashboard.queue.scripts import Scripts
from tests.queue.running import Client, Q, ids, pending
from tests.support.keyspace import snapshot
from tests.support.known_scripts import make_known
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer, free_port

ENQUEUE_ONCE = lua_source.load("enqueue_once").sha.encode()


@pytest.fixture
def producer(redis_url: str) -> Producer:
    return Producer(Connections.from_url(redis_url), "q")


@pytest.fixture
def proxy(shared_server: ValkeyServer, redis_client: Client) -> Iterator[Proxy]:
    make_known(redis_client)
    with Proxy(shared_server.port) as proxy:
        yield proxy


def test_a_second_enqueue_under_a_key_stores_nothing_and_returns_the_id_of_the_first(
    producer: Producer, redis_client: Client
) -> None:
    first = producer.enqueue({"order": 7}, dedup="order:7")
    assert producer.enqueue({"order": 7}, dedup="order:7") == first
    assert producer.enqueue({"order": 7}, dedup="order:7", id="mine") == first
    other = producer.enqueue({"order": 8}, dedup="order:8", id=17)
    assert other == 17
    assert ids(pending(redis_client)) == [first, "17"]
    state = snapshot(redis_client, Q)
    assert set(state) == {
        "pending", "policy", "stats", "watchkeeper:queues", "dedup:order%3A7", "dedup:order%3A8",
    }  # fmt: skip
    assert state["stats"] == {b"enqueued": b"2", b"duplicates": b"2"}
    assert 3500 < redis_client.ttl(Q.dedup(b"order:7")) <= 3600


def test_it_is_said_whether_the_job_is_new(producer: Producer) -> None:
    assert producer.enqueue_once(1, "k", id="a") == Stored("a", True)
    assert producer.enqueue_once(1, "k", id="b") == Stored("a", False)
    assert producer.enqueue_once(1, "k", id="a") == Stored("a", False)


def test_a_key_is_free_again_after_its_time_even_while_the_job_is_still_there(
    producer: Producer, redis_client: Client
) -> None:
    assert producer.enqueue(1, id="a", dedup="k", dedup_seconds=90) == "a"
    assert 80 < redis_client.ttl(Q.dedup(b"k")) <= 90
    redis_client.pexpire(Q.dedup(b"k"), 0)
    assert producer.enqueue(1, id="b", dedup="k") == "b"
    assert ids(pending(redis_client)) == ["a", "b"]


def test_a_key_stays_taken_when_its_job_is_done(producer: Producer, redis_client: Client) -> None:
    producer.enqueue(1, id="a", dedup="k")
    redis_client.delete(Q.pending)
    assert producer.enqueue(1, id="b", dedup="k") == "a"
    assert pending(redis_client) == []


def test_delayed_and_pending_jobs_share_their_keys(producer: Producer, redis_client: Client) -> None:
    assert producer.enqueue_in(1, 60, id="a", dedup="k") == "a"
    assert producer.enqueue_at(1, 4_000_000_000, id="b", dedup="k") == "a"
    assert producer.enqueue(1, id="c", dedup="k") == "a"
    assert producer.enqueue_once(1, "other", delay_seconds=5, id="d") == Stored("d", True)
    assert producer.enqueue_at(1, 4_000_000_000, id="e", dedup="third") == "e"
    assert ids(redis_client.zrange(Q.delayed, 0, -1)) == ["d", "a", "e"]
    assert pending(redis_client) == []


def test_queues_have_keys_of_their_own(redis_url: str, producer: Producer) -> None:
    other = Producer(Connections.from_url(redis_url), "{q}")
    assert producer.enqueue(1, id="a", dedup="k") == "a"
    assert other.enqueue(1, id="b", dedup="k") == "b"


def test_bytes_that_are_delayed_already_are_reported_and_the_key_stays_free(
    producer: Producer, redis_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.queue.job.time.time", lambda: 1_800_000_000.0)
    producer.enqueue_at(1, 4_000_000_000, id="a")
    with pytest.raises(AlreadyDelayed, match="Job 'a' of queue q is delayed already"):
        producer.enqueue_at(1, 5_000_000_000, id="a", dedup="k")
    assert redis_client.exists(Q.dedup(b"k")) == 0
    assert redis_client.zscore(Q.delayed, redis_client.zrange(Q.delayed, 0, 0)[0]) == 4_000_000_000


@pytest.mark.parametrize("seconds", [0, 0.5, -1, float("nan"), float("inf"), 367 * 86_400])
def test_a_time_out_of_bounds_is_refused_and_nothing_is_stored(
    producer: Producer, redis_client: Client, seconds: float
) -> None:
    with pytest.raises(ValueError, match="dedup_seconds is"):
        producer.enqueue(1, dedup="k", dedup_seconds=seconds)
    assert snapshot(redis_client, Q) == {}


def test_an_empty_key_and_a_job_over_the_limit_are_refused_and_nothing_is_stored(
    producer: Producer, redis_client: Client
) -> None:
    with pytest.raises(BadName):
        producer.enqueue(1, dedup="")
    with pytest.raises(JobTooLarge):
        producer.enqueue("x" * 1_200_000, dedup="k")
    assert snapshot(redis_client, Q) == {}


def test_what_another_hand_put_under_the_key_is_returned_as_text(
    producer: Producer, redis_client: Client
) -> None:
    redis_client.set(Q.dedup(b"k"), b"theirs\xff")
    assert producer.enqueue_once(1, "k") == Stored("theirs\\xff", False)
    redis_client.delete(Q.dedup(b"k"))
    redis_client.rpush(Q.dedup(b"k"), "x")
    with pytest.raises(WrongKeyType, match="q:dedup:k is a list in Redis, not a string"):
        producer.enqueue(1, dedup="k")
    assert pending(redis_client) == []


@pytest.mark.parametrize("losses", [1, 3])
def test_S6_with_a_dedup_key_a_lost_reply_ends_in_success_with_one_copy(
    proxy: Proxy, redis_client: Client, losses: int
) -> None:
    producer = Producer(Connections.from_url(proxy.url), "q")
    producer.enqueue(0, id="first")
    proxy.lose_replies(to=b"dedup:k", count=losses)
    assert producer.enqueue_once(1, "k", id="a") == Stored("a", True)
    assert proxy.lost_count == losses
    proxy.lose_replies(to=b"dedup:later", count=losses)
    assert producer.enqueue_in(1, 60, id="b", dedup="later") == "b"
    assert producer.enqueue_once(1, "k", id="a") == Stored("a", False)
    assert ids(pending(redis_client)) == ["first", "a"]
    assert ids(redis_client.zrange(Q.delayed, 0, -1)) == ["b"]
    assert redis_client.hget(Q.stats, "enqueued") == b"3"


def test_S6_of_many_producers_under_one_key_and_lost_replies_one_copy_comes_and_all_agree(
    proxy: Proxy, redis_client: Client
) -> None:
    answers: list[Any] = []

    def offer(number: int) -> None:
        producer = Producer(Connections.from_url(proxy.url), "q")
        answers.append(producer.enqueue_once(number, "k", id=number))

    proxy.lose_replies(to=b"dedup:k", count=12)
    threads = [threading.Thread(target=offer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    (raw,) = pending(redis_client)
    assert len(answers) == 8
    assert {answer.id for answer in answers} == {json.loads(raw)["id"]}
    assert [answer.is_new for answer in answers].count(True) == 1


def test_a_reply_that_stays_away_is_an_unknown_outcome_that_names_the_key_and_a_later_call_settles_it(
    proxy: Proxy, redis_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedup, "DOUBT_SECONDS", 0.5)
    producer = Producer(Connections.from_url(proxy.url), "q")
    proxy.lose_replies(to=b"dedup:k", count=1000)
    with pytest.raises(OutcomeUnknown, match=r"whether the job was enqueued to q\. Enqueue it again"):
        producer.enqueue(1, id="a", dedup="k")
    assert proxy.lost_count >= 2
    proxy.lose_replies(to=b"", count=0)
    assert producer.enqueue_once(1, "k", id="b") == Stored("a", False)
    assert ids(pending(redis_client)) == ["a"]


def test_no_call_is_repeated_once_half_of_the_keys_time_has_passed(
    proxy: Proxy, redis_client: Client
) -> None:
    producer = Producer(Connections.from_url(proxy.url), "q")
    proxy.lose_replies(to=b"dedup:k", count=1000)
    with pytest.raises(OutcomeUnknown):
        producer.enqueue(1, id="a", dedup="k", dedup_seconds=1)
    assert ids(pending(redis_client)) == ["a"]


def test_a_refusal_of_a_repeated_call_leaves_the_outcome_unknown(
    proxy: Proxy, redis_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedup, "DOUBT_SECONDS", 0.5)
    producer = Producer(Connections.from_url(proxy.url), "q")
    proxy.lose_replies(to=b"dedup:k", count=1)
    real, calls = Scripts.enqueue_once, 0

    def then_denied(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            redis_client.execute_command("ACL", "SETUSER", "default", "-get")
        return real(*args, **options)

    monkeypatch.setattr(Scripts, "enqueue_once", then_denied)
    try:
        with pytest.raises(OutcomeUnknown):
            producer.enqueue(1, id="a", dedup="k")
    finally:
        redis_client.execute_command("ACL", "SETUSER", "default", "+get")
    assert calls > 2
    assert ids(pending(redis_client)) == ["a"]


def test_without_a_server_nothing_was_enqueued_and_it_is_said_at_once() -> None:
    producer = Producer(Connections.from_url(f"redis://127.0.0.1:{free_port()}/0"), "q")
    with pytest.raises(ServerAway, match=r"cannot be reached\. Nothing was enqueued to q\."):
        producer.enqueue(1, dedup="k")


def test_a_full_server_takes_neither_the_job_nor_the_key_and_both_when_there_is_room() -> None:
    with ValkeyServer() as server, server.client() as client:
        producer = Producer(Connections.from_url(server.url), "q")
        client.config_set("maxmemory", 1)
        with pytest.raises(ServerRefused, match="out of memory"):
            producer.enqueue(1, id="a", dedup="k")
        assert client.dbsize() == 0
        client.config_set("maxmemory", 0)
        assert producer.enqueue(1, id="b", dedup="k") == "b"
        client.config_set("maxmemory", 1)
        assert producer.enqueue(1, id="c", dedup="k") == "b"
        assert ids(pending(client)) == ["b"]
