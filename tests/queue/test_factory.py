"""A client is built in one place: by role, without retries, and without showing a password."""

from __future__ import annotations

import pickle
import time

import pytest
import redis

from dashboard.queue.connections import Connections
from dashboard.queue.errors import BadAddress, ServerAway, translated
from dashboard.queue.factory import CLAIM_GRACE_SECONDS, TIMEOUT_SECONDS, ServerFactory
from dashboard.queue.server_address import ServerAddress
from tests.support.server import Kind, ValkeyServer, free_port
from tests.support.socket_server import SocketServer

SECRET = "hunter2"
URLS = {
    "server": f"redis://user:{SECRET}@127.0.0.1:1/0",
    "tls": f"rediss://user:{SECRET}@127.0.0.1:1/0",
    "socket": f"unix://user:{SECRET}@/nowhere/redis.sock",
    "sentinel": f"redis+sentinel://user:{SECRET}@127.0.0.1:1/shop/0?sentinel_password={SECRET}",
    "cluster": f"redis+cluster://user:{SECRET}@127.0.0.1:1",
}


def factory(kind: str) -> ServerFactory:
    return ServerFactory.from_url(URLS[kind]).at(b"{q}")


@pytest.mark.parametrize("kind", URLS)
@pytest.mark.parametrize("role", ["claim", "beat", "command"])
def test_neither_factory_nor_client_nor_error_shows_the_password(kind: str, role: str) -> None:
    one = factory(kind)
    client = one(role)
    with pytest.raises(ServerAway) as caught, translated():
        client.ping()
    cause: BaseException | None = caught.value
    while cause is not None:
        assert SECRET not in f"{cause} {cause!r}"
        cause = cause.__cause__ or cause.__context__
    assert SECRET not in f"{one!r} {one.address} {client!r} {client.connection_pool!r}"


@pytest.mark.parametrize("kind", URLS)
def test_the_client_of_a_whole_cluster_shows_no_password_either(kind: str) -> None:
    client = ServerFactory.from_url(URLS[kind])("command")
    with pytest.raises(ServerAway, match="cannot be reached"), translated():
        client.ping()
    assert SECRET not in repr(client)


@pytest.mark.parametrize("kind", URLS)
def test_a_factory_can_be_handed_to_another_process_and_is_the_same_there(kind: str) -> None:
    one = factory(kind)
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize("kind", URLS)
def test_a_claim_has_one_connection_and_longer_than_its_block_and_nothing_is_repeated(kind: str) -> None:
    one = factory(kind)
    claim, beat, command = one("claim", 30.0), one("beat"), one("command")
    pools = [client.connection_pool for client in (claim, beat, command)]
    assert [pool.max_connections for pool in pools] == [1, 2, one.max_connections]
    patience = [pool.connection_kwargs["socket_timeout"] for pool in pools]
    assert patience == [30.0 + TIMEOUT_SECONDS + CLAIM_GRACE_SECONDS, TIMEOUT_SECONDS, TIMEOUT_SECONDS]
    assert {pool.connection_kwargs["retry"].get_retries() for pool in pools} == {0}
    names = [pool.connection_kwargs["client_name"] for pool in pools]
    assert names == ["watchkeeper:claim", "watchkeeper:beat", "watchkeeper:command"]


def test_a_factory_is_made_of_explicit_fields_as_well(redis_url: str) -> None:
    port = int(redis_url.split(":")[2].split("/")[0])
    with ServerFactory(ServerAddress(hosts=(("127.0.0.1", port),), database=1))("command") as client:
        assert client.ping()


def test_a_wrong_url_is_refused_without_its_password() -> None:
    with pytest.raises(BadAddress) as caught:
        ServerFactory.from_url(f"http://:{SECRET}@h/0")
    assert str(caught.value) == (
        "The Redis URL must begin with redis://, rediss:// (TLS), unix://, redis+sentinel:// or redis+cluster://."
    )


@pytest.mark.parametrize("protocol", [2, 3])
def test_the_password_of_the_url_signs_in_and_the_server_knows_the_role(protocol: int) -> None:
    with ValkeyServer(requirepass=SECRET) as server:
        one = pickle.loads(pickle.dumps(ServerFactory.from_url(server.url, protocol=protocol)))
        with one("janitor") as client:
            assert client.client_getname() in ("watchkeeper:janitor", b"watchkeeper:janitor")


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_a_unix_socket_serves_every_role(kind: Kind) -> None:
    with SocketServer(kind, requirepass=SECRET) as server:
        connections = Connections.from_url(server.url.replace("db=0", "db=2"))
        connections.command().set("here", 1)
        assert connections.beat().get("here") == b"1"
        assert connections.claim(1).blmove("empty", "mine", 1, "RIGHT", "LEFT") is None
        connections.close()
        assert server.client(db=2).get("here") == b"1"


def test_answers_are_bytes(redis_url: str) -> None:
    with ServerFactory.from_url(redis_url)("command") as client:
        client.set(b"k\xff", b"\x00\xff")
        assert client.get(b"k\xff") == b"\x00\xff"


def test_S39_a_claim_blocks_for_longer_than_an_answer_may_take(redis_url: str) -> None:
    seconds = 2
    with ServerFactory.from_url(redis_url, timeout_seconds=0.3)("claim", seconds) as client:
        started = time.monotonic()
        assert client.blmove("empty", "mine", seconds, "RIGHT", "LEFT") is None
        assert time.monotonic() - started >= seconds


def test_a_frozen_server_is_given_up_after_the_time_out_and_the_write_is_not_repeated() -> None:
    with ValkeyServer() as server:
        with ServerFactory.from_url(server.url, timeout_seconds=0.3)("command") as client:
            client.lpush("pending", "first")
            server.freeze()
            started = time.monotonic()
            with pytest.raises(redis.TimeoutError):
                client.lpush("pending", "second")
            assert time.monotonic() - started < 2
            server.thaw()
        # The server had the command in its socket all along: it was carried out, exactly once.
        assert server.client().lrange("pending", 0, -1) == [b"second", b"first"]


def test_a_server_that_is_not_there_is_an_error_at_once() -> None:
    client = ServerFactory.from_url(f"redis://127.0.0.1:{free_port()}")("command")
    with client, pytest.raises(redis.ConnectionError):
        client.ping()
