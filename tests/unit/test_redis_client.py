"""A client is built in one place: by role, without retries, and without showing a password."""

import pickle
import time

import pytest
import redis

from dashboard.redis_client import ClientFactory, describe
from dashboard.settings import Settings, SettingsError
from tests.support.server import ValkeyServer, free_port

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"redis://user:{SECRET}@db.example:6380/3", "db.example:6380/3"),
        ("redis://db.example", "db.example:6379/0"),
        (f"rediss://:{SECRET}@[::1]/2", "[::1]:6379/2"),
        ("redis://h/0?db=7", "h:6379/7"),
        (f"unix://:{SECRET}@/run/redis.sock?db=4", "unix:/run/redis.sock/4"),
        (f"mysql://:{SECRET}@h", "an unreadable address"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert describe(url) == shown


def test_a_wrong_url_is_refused_without_its_password() -> None:
    with pytest.raises(SettingsError) as caught:
        ClientFactory(f"http://:{SECRET}@h/0")
    assert str(caught.value) == "The Redis URL must begin with redis://, rediss:// (TLS) or unix://."


@pytest.mark.parametrize("host", ["\udcff", "a..b", "x" * 64])
def test_a_host_that_no_resolver_takes_is_refused_as_a_url(host: str) -> None:
    with pytest.raises(SettingsError, match="must name a host"):
        ClientFactory(f"redis://{host}/0")


def test_neither_factory_nor_client_shows_the_password() -> None:
    factory = ClientFactory(f"redis://user:{SECRET}@127.0.0.1:1/0")
    assert SECRET not in repr(factory)
    assert SECRET not in repr(factory("web"))


def test_the_password_of_the_url_signs_in_and_the_server_knows_the_role() -> None:
    with ValkeyServer(requirepass=SECRET) as server:
        factory = pickle.loads(pickle.dumps(ClientFactory(server.url)))
        with factory("janitor") as client:
            assert client.client_getname() == "watchkeeper:janitor"
        with ClientFactory(server.url, protocol=3)("web") as client:
            assert client.get("absent") is None


def test_answers_are_bytes(redis_url: str) -> None:
    with ClientFactory(redis_url)("command") as client:
        client.set(b"k\xff", b"\x00\xff")
        assert client.get(b"k\xff") == b"\x00\xff"


def test_a_unix_socket_serves_as_well() -> None:
    with ValkeyServer(unixsocket="sock") as server:
        with ClientFactory(f"unix://{server.folder}/sock?db=2")("command") as client:
            client.set("here", 1)
        assert server.client(db=2).get("here") == b"1"


def test_a_claim_may_block_longer_than_an_answer_may_take(redis_url: str) -> None:
    with ClientFactory(redis_url, timeout_seconds=0.2)("claim", block_seconds=0.6) as client:
        assert client.blmove("empty", "mine", 0.6, "RIGHT", "LEFT") is None


def test_a_claim_has_one_connection_only() -> None:
    claim = ClientFactory("redis://127.0.0.1:1")("claim", 1.0)
    assert claim.connection_pool.max_connections == 1


def test_a_frozen_server_is_given_up_after_the_time_out_and_the_write_is_not_repeated() -> None:
    with ValkeyServer() as server:
        with ClientFactory(server.url, timeout_seconds=0.3)("command") as client:
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
    client = ClientFactory(f"redis://127.0.0.1:{free_port()}")("command")
    with client, pytest.raises(redis.ConnectionError):
        client.ping()


def test_the_settings_decide_the_time_out_and_room_for_every_thread() -> None:
    settings = Settings.from_environ(
        {"WATCHKEEPER_REDIS_TIMEOUT_SECONDS": "0.7", "WATCHKEEPER_WEB_THREADS": "40"}
    )
    factory = ClientFactory.from_settings(settings)
    assert factory.timeout_seconds == 0.7
    assert factory.max_connections >= 40
    assert factory.address == "127.0.0.1:6379/0"
