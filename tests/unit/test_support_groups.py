"""Groups of servers keep what the tests ask of them: a switch happens, and nothing of it is lost."""

import pytest
import redis

from tests.support.cluster import Cluster
from tests.support.processes import wait_until
from tests.support.replicas import ReplicaPair, role_of
from tests.support.sentinel import SentinelGroup
from tests.support.server import Kind
from tests.support.socket_server import SocketServer
from tests.support.tls import TlsServer

KINDS = ["valkey", "redis"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_on_a_socket_has_no_port(kind: Kind) -> None:
    with SocketServer(kind, requirepass="pw") as server, server.client() as client:
        assert client.ping()
        assert client.config_get("port") == {"port": "0"}


def test_a_server_with_tls_lets_in_its_own_clients_only() -> None:
    with TlsServer() as server:
        with server.client() as client:
            assert client.ping()
        stranger = server.stranger
        files = {"ssl_certfile": str(stranger.certificate), "ssl_keyfile": str(stranger.key)}
        with server.client(**files) as client, pytest.raises(redis.ConnectionError):
            client.ping()


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_changes_places_on_order(kind: Kind) -> None:
    with ReplicaPair(kind, requirepass="pw") as pair:
        before = pair.primary
        pair.client().set("kept", "1")
        pair.failover()
        assert pair.primary is not before
        assert pair.client().get("kept") == b"1"
        assert role_of(before) == "slave"


def test_sentinels_switch_when_the_primary_is_killed_and_take_it_back_as_a_replica() -> None:
    with SentinelGroup(requirepass="pw") as group:
        group.client().set("kept", "1")
        assert group.client().wait(1, 5000) == 1
        before = group.kill()
        after = group.wait_for_switch(before)
        assert group.primary is after
        assert group.client().get("kept") == b"1"
        before.start()
        wait_until(lambda: role_of(before) == "slave", 40, "the old primary follows the new one")


@pytest.mark.parametrize("kind", KINDS)
def test_a_cluster_changes_the_owner_of_a_slot_in_every_way(kind: Kind) -> None:
    with Cluster(kind, requirepass="pw") as cluster, cluster.client() as client:
        client.set("{q}", "1")
        first = cluster.owner("{q}")
        second = cluster.hand_over("{q}")
        assert second is not first
        cluster.kill("{q}")
        assert cluster.wait_for_switch("{q}", second) is first
        other = cluster.owner("{elsewhere}")
        assert other is not first
        cluster.move_slot("{q}", other)
        assert cluster.owner("{q}") is other
        assert client.get("{q}") == b"1"
