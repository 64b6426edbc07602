"""Sentinels: every connection asks them for the primary, and work goes on after a switch."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import redis

from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerAway, ServerError, ServerRefused, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.producer import Producer
from dashboard.queue.seeking import SeekingClient, SeekingConnection
from tests.queue.running import Q, janitor, ran, supervisor, worker
from tests.support.processes import wait_until
from tests.support.replicas import ReplicaPair, role_of
from tests.support.sentinel import SERVICE, SentinelGroup
from tests.support.server import Kind, ValkeyServer

SECRET = "hunter2"


@pytest.fixture(scope="module")
def group() -> Iterator[SentinelGroup]:
    """A primary with a password and one replica, watched by three Sentinels. No test kills one of it."""
    with SentinelGroup(requirepass=SECRET) as one:
        yield one


def test_every_role_is_led_to_the_primary(group: SentinelGroup) -> None:
    connections = Connections.from_url(group.url)
    connections.command().set("here", 1)
    assert connections.beat().get("here") == b"1"
    claim = connections.claim(1)
    assert claim.blmove("empty", "mine", 1, "RIGHT", "LEFT") is None
    assert claim.connection is not None
    assert claim.connection.port == group.primary.port
    connections.close()


def test_a_sentinel_that_is_away_is_passed_over_and_asked_last_from_then_on(group: SentinelGroup) -> None:
    hosts = f"127.0.0.1:1,{group.hosts}"
    factory = ServerFactory.from_url(f"redis+sentinel://:{SECRET}@{hosts}/{SERVICE}")
    assert factory("command").ping()
    assert factory.known_places[0] == ("127.0.0.1", group.sentinels[0].port)
    assert factory.known_places[1] == ("127.0.0.1", 1)


def test_a_service_that_no_sentinel_knows_is_named(group: SentinelGroup) -> None:
    client = ServerFactory.from_url(group.url.replace(SERVICE, "shop"))("command")
    with pytest.raises(ServerAway) as caught, translated():
        client.ping()
    assert "no Sentinel names the primary" in str(caught.value)
    assert f"127.0.0.1:{group.sentinels[0].port}: it knows no service 'shop'" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_wrong_password_is_the_servers_refusal_and_not_an_absent_one(group: SentinelGroup) -> None:
    client = ServerFactory.from_url(group.url.replace(SECRET, "wrong"))("command")
    with pytest.raises(ServerRefused) as caught, translated():
        client.ping()
    assert caught.value.code == "WRONGPASS"


def test_a_password_of_the_sentinels_own_is_given_in_the_query() -> None:
    with SentinelGroup(sentinel_count=1) as group:
        with group.sentinels[0].client() as client:
            client.execute_command("ACL", "SETUSER", "default", "on", "resetpass", f">{SECRET}")
        with pytest.raises(ServerAway, match="Authentication required"), translated():
            ServerFactory.from_url(group.url)("command").ping()
        assert ServerFactory.from_url(f"{group.url}?sentinel_password={SECRET}")("command").ping()


def test_a_producer_is_led_to_the_new_primary_once_the_old_one_is_demoted(group: SentinelGroup) -> None:
    producer, before = Producer(Connections.from_url(group.url), "q"), group.primary
    producer.enqueue({}, id="before")
    group.client().wait(1, 5000)
    group.failover()
    wait_until(lambda: role_of(before) == "slave", 40, "the old primary is demoted")
    troubles: list[str] = []

    def enqueued() -> bool:
        try:
            producer.enqueue({}, id="after")
        except ServerError as error:
            troubles.append(str(error))
        else:
            return True
        return False

    wait_until(enqueued, 20, "a job is enqueued", every_seconds=0.1)
    raws = group.client().lrange(Q.pending, 0, -1)
    assert [json.loads(raw)["id"] for raw in raws] == ["after", "before"]
    assert len(troubles) <= 1


class Appointed:
    """Names the primary of a pair, as a Sentinel that is never late."""

    def __init__(self, pair: ReplicaPair) -> None:
        self.pair = pair

    def find(self) -> tuple[str, int]:
        return "127.0.0.1", self.pair.primary.port


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_a_primary_that_was_demoted_refuses_and_is_left(kind: Kind) -> None:
    with ReplicaPair(kind) as pair:
        pool = redis.ConnectionPool(connection_class=SeekingConnection, finder=Appointed(pair))
        client = SeekingClient.from_pool(pool)
        client.lpush("list", "first")
        connection_id = client.client_id()
        pair.failover()
        with pytest.raises(ServerRefused) as caught, translated():
            client.lpush("list", "refused")
        assert (caught.value.code, str(caught.value)) == (
            "READONLY", "This Redis is a read-only replica (READONLY). Nothing was changed.",
        )  # fmt: skip
        assert client.lpush("list", "second") == 2
        assert pair.client().lrange("list", 0, -1) == [b"second", b"first"]
        with pair.replicas[0].client() as demoted:
            assert connection_id not in {int(one["id"]) for one in demoted.client_list()}


@pytest.mark.parametrize("kind", ["supervisor", "worker"])
def test_workers_resume_after_the_primary_was_killed_and_what_was_confirmed_is_conserved(kind: str) -> None:
    with SentinelGroup(appendonly="yes") as group, ValkeyServer() as notes:
        url, start = group.url, {"supervisor": supervisor, "worker": worker}[kind]
        producer = Producer(Connections.from_url(url), "q")
        with start(url, runs_url=notes.url) as process, janitor(url, "q"):
            producer.enqueue({}, id="first")
            wait_until(lambda: ran(notes.client()) == ["first"], 30, "the first job ran")
            process.freeze()
            before = group.primary
            confirmed = producer.enqueue_many([{} for _ in range(50)])
            late = producer.enqueue_in({}, 1.0)
            with before.client() as client:
                assert client.wait(1, 5000) == 1
            before.kill()
            process.thaw()
            group.wait_for_switch(before)
            wait_until(lambda: {*confirmed, late} <= set(ran(notes.client())), 60, "all confirmed jobs ran")
            assert process.is_running(), process.output()
            process.signal(15)
            assert process.wait(30) == 0
        with group.client() as client:
            assert not client.exists(Q.pending, Q.delayed, Q.dead)
            assert client.keys(b"q:processing:*") == []
