"""S22, S23: what runs and what fails while the server cannot be reached."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.queue.running import (
    POLICY,
    Client,
    Q,
    attempts,
    held,
    ids,
    janitor,
    pending,
    push,
    ran,
    supervisor,
    wait_for_holder,
    worker,
)
from tests.support.processes import PythonProcess, wait_until
from tests.support.proxy import Proxy
from tests.support.server import Kind, ValkeyServer

T = POLICY.stale_after_seconds
FAILS = b'{"id":"fails","payload":{"sleep":1.5,"raise":"no"},"attempts":0}'
KINDS: tuple[Kind, ...] = ("valkey", "redis")


@pytest.mark.parametrize("start", [supervisor, worker], ids=["supervised", "embedded"])
def test_S22_without_redis_for_three_quarters_of_the_threshold_nothing_is_claimed_and_then_it_goes_on(
    shared_server: ValkeyServer, redis_client: Client, start: Callable[..., PythonProcess]
) -> None:
    push(redis_client, "runs", sleep=4.5)
    push(redis_client, "waits")
    with Proxy(shared_server.port) as proxy, start(proxy.url, runs_url=shared_server.url) as process:
        name = wait_for_holder(redis_client, "runs")
        proxy.go_away()
        process.wait_for_output("is at risk: no beat for", 6)
        assert redis_client.lrange("began", 0, -1) == [b"runs"]
        proxy.come_back()
        wait_until(lambda: ran(redis_client) == ["runs", "waits"], 15, "it goes on by itself")
        wait_until(lambda: held(redis_client) == {}, 5, "both are acknowledged")
        assert redis_client.hkeys(Q.heartbeats) == [name]
        assert process.output().count("is at risk") == 1
    assert redis_client.hget(Q.stats, "acked") == b"2"
    assert not redis_client.exists(Q.pending, Q.delayed, Q.dead)


def test_S22_a_loop_that_was_not_beaten_for_claims_nothing_however_long_it_is_idle(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    with Proxy(shared_server.port) as proxy, worker(proxy.url, runs_url=shared_server.url):
        wait_until(lambda: redis_client.hlen(Q.heartbeats), 10, "it beats")
        # Beats alone are lost: the claims would come through.
        proxy.lose_replies(to=Q.heartbeats, count=1_000_000)
        last = redis_client.hvals(Q.heartbeats)
        away_at = time.monotonic()
        wait_until(lambda: time.monotonic() - away_at > 0.75 * T + 1.5, 10, "the fence has fallen")
        push(redis_client, "a")
        wait_until(lambda: time.monotonic() - away_at > 0.75 * T + 2.5, 10, "it could have claimed")
        began = redis_client.lrange("began", 0, -1)
        if redis_client.hvals(Q.heartbeats) == last:
            assert began == []
        proxy.reset()
        wait_until(lambda: ran(redis_client) == ["a"], 10, "it works once it beats again")
    assert redis_client.hget(Q.stats, "acked") == b"1"


@pytest.mark.parametrize("kind", KINDS)
def test_S23_a_failure_while_redis_is_away_is_stored_by_its_owner_or_recovered_once(kind: Kind) -> None:
    """At once: a server that is dead for two thresholds, and a worker that is cut off for as long."""
    with ExitStack() as stack:
        dead = stack.enter_context(ValkeyServer(kind, appendonly="yes", appendfsync="always"))
        alive = stack.enter_context(ValkeyServer(kind))
        proxy = stack.enter_context(Proxy(alive.port))
        far, near = stack.enter_context(dead.client()), stack.enter_context(alive.client())
        for client in (far, near):
            client.lpush(Q.pending, FAILS)
        owner = stack.enter_context(supervisor(dead.url, runs_url=alive.url))
        cut_off = stack.enter_context(supervisor(proxy.url, runs_url=alive.url))
        names = [wait_for_holder(client, "fails") for client in (far, near)]
        wait_until(lambda: near.llen("began") == 2, 10, "both jobs run")
        # Nobody runs them again: what was stored stays to be looked at.
        for client in (far, near):
            client.hset(Q.policy, "paused", "1")
        stack.enter_context(janitor(alive.url, "q"))
        dead.kill()
        proxy.go_away()
        away_at = time.monotonic()
        wait_until(lambda: pending(near), 3 * T, "what the worker that is cut off held is given back")
        assert (ids(pending(near)), attempts(pending(near))) == (["fails"], [1])
        wait_until(lambda: time.monotonic() - away_at > 2 * T, 3 * T, "twice the threshold is over")
        dead.start()
        proxy.come_back()
        far = stack.enter_context(dead.client())
        wait_until(lambda: far.zcard(Q.delayed), 10, "the owner stores its failure")
        wait_until(lambda: idles(near, names[1]), 10, "the other one is back and holds nothing")
        assert owner.is_running()
        assert cut_off.is_running()
        assert attempts(far.zrange(Q.delayed, 0, -1)) == [1]
        assert (far.hget(Q.stats, "failed"), far.hget(Q.stats, "reaped")) == (b"1", None)
        assert (ids(pending(near)), attempts(pending(near))) == (["fails"], [1])
        assert (near.hget(Q.stats, "failed"), near.hget(Q.stats, "reaped")) == (None, b"1")
        assert not near.exists(Q.delayed, Q.dead)
        assert not far.exists(Q.pending, Q.dead)
        assert held(near) == held(far) == {}


def idles(client: Client, name: bytes) -> bool:
    """Whether a worker beats and says that its hands are empty."""
    busy = client.hget(Q.workers, b"b:" + name)
    return name in client.hkeys(Q.heartbeats) and busy is not None and b'"jobs":0' in busy
