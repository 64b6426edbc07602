"""A cluster: each queue lives on the node that owns its slot, and whoever works on it follows that slot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import BadName, ServerAway, ServerError, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.janitor import Janitor
from dashboard.queue.keys import REGISTRY, QueueKeys, has_hash_tag
from dashboard.queue.producer import Producer
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.worker import Worker
from tests.queue.running import POLICY, ran, supervisor
from tests.support.cluster import Cluster, ClusterNode
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

SECRET = "hunter2"
Q = QueueKeys("{q}")
HERE, THERE = QueueKeys("{q}.mail"), QueueKeys("{b}")
"""Queues whose slots are owned by different nodes."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three primaries with a password and no replicas. Tests move slots but kill none."""
    with Cluster(replicas_each=0, requirepass=SECRET) as one:
        yield one


@pytest.fixture(autouse=True)
def emptied(cluster: Cluster) -> None:
    with cluster.client() as client:
        client.flushall(target_nodes=client.PRIMARIES)


def another(cluster: Cluster, than: ClusterNode) -> ClusterNode:
    return next(node for node in cluster.nodes if node is not than)


def listed(cluster: Cluster, key: bytes) -> list[str]:
    with cluster.client() as client:
        return [json.loads(raw)["id"] for raw in client.lrange(key, 0, -1)]


@pytest.mark.parametrize(
    ("name", "tagged"),
    [
        (b"{jobs}", True), (b"{shop}.mail", True), (b"mail{a}", True), (b"{a}{b}", True), (b"{{a}", True),
        (b"jobs", False), (b"{}", False), (b"{}{a}", False), (b"{a", False), (b"a}", False), (b"}a{", False),
    ],
)  # fmt: skip
def test_a_name_is_tagged_exactly_when_all_its_keys_share_a_slot(
    cluster: Cluster, name: bytes, tagged: bool
) -> None:
    keys = QueueKeys(name)
    every = [keys.pending, keys.dead, keys.stats, keys.processing(b"w{x}"), keys.dedup(b"{y}"), name]
    slots = {int(cluster.nodes[0].ask("CLUSTER", "KEYSLOT", key)) for key in every}
    assert has_hash_tag(name) is tagged
    assert (len(slots) == 1) is tagged


def test_S58_a_queue_without_a_hash_tag_is_refused_by_whoever_would_work_on_it(cluster: Cluster) -> None:
    connections = Connections.from_url(cluster.url)
    for build in (
        lambda: Producer(connections, "jobs"),
        lambda: Worker(connections, ["{jobs}", "jobs"], print),
        lambda: Supervisor(ServerFactory.from_url(cluster.url), "jobs", "builtins:print"),
        lambda: Janitor(connections, queues=[b"jobs"]),
    ):
        with pytest.raises(BadName) as caught:
            build()
        assert str(caught.value) == (
            "This Redis is a cluster, where a queue's name needs a hash tag, for example {jobs} in place of "
            "jobs. No job was touched."
        )
    with cluster.client() as client:
        assert client.dbsize(target_nodes=client.PRIMARIES) == 0


def test_every_role_of_a_queue_is_led_to_the_owner_of_its_slot(cluster: Cluster) -> None:
    connections = Connections.from_url(cluster.url)
    for queue in (HERE, THERE):
        mine, owner = connections.of(queue), cluster.owner(queue.pending)
        mine.command().lpush(queue.pending, "x")
        claim: Any = mine.claim(1)
        assert claim.blmove(queue.pending, queue.processing(b"w"), 1, "RIGHT", "LEFT") == b"x"
        for client in (mine.command(), mine.beat(), claim):
            with owner.client() as looking:
                assert client.client_id() in {int(one["id"]) for one in looking.client_list()}
    assert connections.of(HERE) is connections.of(HERE).of(HERE) is connections.of(THERE).of(HERE)
    assert connections.of(HERE) is not connections.of(THERE)
    connections.close()


def test_the_index_of_queues_lives_where_its_own_slot_is(cluster: Cluster) -> None:
    connections = Connections.from_url(cluster.url)
    for queue in (HERE, THERE):
        Producer(connections, queue.queue).enqueue({})
    with cluster.client() as client:
        assert client.smembers(REGISTRY) == {HERE.queue, THERE.queue}


def test_one_node_of_the_url_is_enough_to_find_the_others(cluster: Cluster) -> None:
    owner = cluster.owner(Q.pending)
    factory = ServerFactory.from_url(f"redis+cluster://:{SECRET}@127.0.0.1:{another(cluster, owner).port}")
    assert factory.at(Q.queue)("command").lpush(Q.pending, "x") == 1
    assert set(factory.known_places) == {("127.0.0.1", node.port) for node in cluster.nodes}


def test_a_command_follows_its_slot_to_the_new_owner(cluster: Cluster) -> None:
    producer = Producer(Connections.from_url(cluster.url), Q.queue)
    whole = ServerFactory.from_url(cluster.url)("command")
    producer.enqueue({}, id="1")
    whole.llen(Q.pending)
    cluster.move_slot(Q.pending, another(cluster, cluster.owner(Q.pending)))
    producer.enqueue({}, id="2")
    assert whole.llen(Q.pending) == 2
    assert listed(cluster, Q.pending) == ["2", "1"]


def test_a_claim_does_not_follow_by_itself_since_others_know_it_by_its_id(cluster: Cluster) -> None:
    mine = Connections.from_url(cluster.url).of(Q)
    claim = mine.claim(1)
    before = claim.client_id()
    cluster.move_slot(Q.pending, another(cluster, cluster.owner(Q.pending)))
    with pytest.raises(ServerAway, match=r"\(MOVED\)"), translated():
        claim.llen(Q.pending)
    assert claim.client_id() == before
    assert mine.claim(1).llen(Q.pending) == 0


def test_a_worker_follows_its_slot_and_its_connection_is_known_anew(cluster: Cluster) -> None:
    with ValkeyServer() as notes, supervisor(cluster.url, queue="{q}", runs_url=notes.url) as process:
        producer = Producer(Connections.from_url(cluster.url), Q.queue)
        producer.enqueue({}, id="before")
        wait_until(lambda: ran(notes.client()) == ["before"], 40, "the queue is served")
        to = another(cluster, cluster.owner(Q.pending))
        cluster.move_slot(Q.pending, to)
        producer.enqueue({}, id="after")
        wait_until(
            lambda: ran(notes.client()) == ["before", "after"], 40, "the queue is served where it went"
        )

        def is_known() -> bool:
            (record,) = (json.loads(one) for name, one in fields() if name.startswith(b"i:"))
            with to.client() as client:
                claims = [one["id"] for one in client.client_list() if one["name"] == "watchkeeper:claim"]
            return claims == [str(record["client_id"])]

        def fields() -> list[tuple[bytes, bytes]]:
            with to.client() as client:
                return list(client.hgetall(Q.workers).items())

        wait_until(is_known, 20, "the next beats tell of its new connection")
        process.signal(15)
        assert process.wait(20) == 0, process.output()


def test_a_slot_on_its_way_is_an_absent_server_and_nothing_is_enqueued(cluster: Cluster) -> None:
    producer = Producer(Connections.from_url(cluster.url), Q.queue)
    producer.enqueue({}, id="1")
    before = cluster.owner(Q.pending)
    to = another(cluster, before)
    slot = before.ask("CLUSTER", "KEYSLOT", Q.pending)
    to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", before.node_id)
    before.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", to.node_id)
    before.ask("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, "AUTH", SECRET, "KEYS", Q.pending)
    with pytest.raises(ServerAway, match=r"\((ASK|TRYAGAIN)\)\. Nothing was enqueued to \{q\}"):
        producer.enqueue({}, id="2")
    cluster.move_slot(Q.pending, to)
    producer.enqueue({}, id="3")
    assert listed(cluster, Q.pending) == ["3", "1"]


def test_a_wrong_password_is_told_as_such(cluster: Cluster) -> None:
    factory = ServerFactory.from_url(cluster.url.replace(SECRET, "wrong"))
    with pytest.raises(ServerError, match="WRONGPASS"), translated():
        factory.at(Q.queue)("command").ping()


def test_the_shards_are_the_nodes_that_own_slots(cluster: Cluster) -> None:
    shards = Connections.from_url(cluster.url).shards()
    ports = {shard.command().connection_pool.get_connection().port for shard in shards}
    assert ports == {node.port for node in cluster.nodes}
    assert len(shards) == 3


def test_a_janitor_serves_queues_on_every_node_named_found_or_in_the_index(cluster: Cluster) -> None:
    found, indexed = QueueKeys("{c}"), QueueKeys("{d}")
    with cluster.client() as client:
        owners = {cluster.owner(one.pending).port for one in (Q, THERE, found, indexed)}
        assert len(owners) == 3
        client.sadd(REGISTRY, indexed.queue, "untagged")
        client.hset("untagged:policy", "managed", "1")
        for queue in (found, indexed):
            client.hset(queue.policy, "managed", "1")
        for queue in (Q, THERE, found, indexed):
            client.zadd(queue.delayed, {b'{"id":"due","attempts":0}': 1})
            client.lpush(queue.processing(b"ghost"), b'{"id":"held","attempts":0}')
        keeper = Janitor(Connections.from_url(cluster.url), queues=[Q.queue, THERE.queue], defaults=POLICY)
        ticked = keeper.tick()
        assert (ticked.queue_count, ticked.promoted_count, ticked.adopted_count) == (4, 4, 4)
        assert ticked.trouble_count == 0
        for queue in (Q, THERE, found, indexed):
            assert listed(cluster, queue.pending) == ["due"]
            assert client.hkeys(queue.heartbeats) == [b"ghost"]
            assert client.llen(queue.processing(b"ghost")) == 1
        assert client.keys("untagged:*", target_nodes=client.PRIMARIES) == [b"untagged:policy"]
