"""The proxy itself: exactly the reply that it is told of is lost, and the server has carried out the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.support.proxy import Fault, Proxy
from tests.support.server import ValkeyServer


@pytest.fixture
def proxy(valkey_server: ValkeyServer, redis_client: redis.Redis) -> Iterator[Proxy]:
    with Proxy(valkey_server.port) as one:
        yield one


def through(proxy: Proxy, protocol: int = 2, socket_timeout: float = 5) -> redis.Redis:
    """A client that says nothing of its own accord, and so counts only what the test asks."""
    return redis.Redis(
        port=proxy.port,
        protocol=protocol,
        socket_timeout=socket_timeout,
        retry=Retry(NoBackoff(), 0),
        driver_info=None,
    )


@pytest.mark.parametrize(
    ("fault", "carried_out"), [(Fault.WHOLE, True), (Fault.HALF, True), (Fault.BEFORE, False)]
)
@pytest.mark.parametrize("number", [1, 2, 5])
def test_only_the_reply_of_that_number_is_lost(
    proxy: Proxy, redis_client: redis.Redis, fault: Fault, carried_out: bool, number: int
) -> None:
    proxy.fail_reply(number, fault)
    client = through(proxy)
    for place in range(1, 6):
        if place == number:
            with pytest.raises(redis.ConnectionError):
                client.incr(f"key {place}")
        else:
            assert client.incr(f"key {place}") == 1
    expected = {f"key {place}".encode() for place in range(1, 6) if carried_out or place != number}
    assert set(redis_client.keys()) == expected
    assert [words[0] for words in proxy.requests] == [b"INCRBY"] * 5
    assert proxy.lost_count == 1


def test_a_late_reply_comes_in_the_end(proxy: Proxy) -> None:
    proxy.late_seconds = 0.2
    proxy.fail_reply(1, Fault.LATE)
    impatient = through(proxy, socket_timeout=0.05)
    with pytest.raises(redis.TimeoutError):
        impatient.incr("a")
    proxy.fail_reply(2, Fault.LATE)
    assert through(proxy, socket_timeout=5).incr("a") == 2


@pytest.mark.parametrize("protocol", [2, 3])
def test_replies_within_a_pipeline_are_counted_one_by_one(
    proxy: Proxy, redis_client: redis.Redis, protocol: int
) -> None:
    client = through(proxy, protocol)
    client.ping()
    handshake = len(proxy.requests) - 1
    proxy.reset()
    client.close()
    proxy.fail_reply(handshake + 2, Fault.HALF)
    with client.pipeline(transaction=False) as pipe:
        for one in "abc":
            pipe.rpush("list", one)
        with pytest.raises(redis.ConnectionError):
            pipe.execute()
    assert redis_client.lrange("list", 0, -1) == [b"a", b"b", b"c"]


def test_replies_are_lost_by_a_word_of_the_request_and_reset_forgets_them(proxy: Proxy) -> None:
    client = through(proxy)
    proxy.lose_replies(to=b"secret", count=2)
    lost: list[Callable[[], object]] = [lambda: client.get("a secret"), lambda: client.delete("a secret")]
    for call in lost:
        assert client.ping()
        with pytest.raises(redis.ConnectionError):
            call()
    assert client.get("a secret") is None
    proxy.lose_replies(to=b"PING", count=1)
    proxy.reset()
    assert client.ping()


def test_a_cut_ends_what_there_is_and_the_next_connection_comes_through(proxy: Proxy) -> None:
    client = through(proxy)
    assert client.ping()
    proxy.cut_all()
    assert through(proxy).ping()
