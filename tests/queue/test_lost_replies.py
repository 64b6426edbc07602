"""A reply that never comes: nothing is lost, nothing runs twice without need, and no restart is wanted."""

from __future__ import annotations

from collections import Counter

import pytest

from dashboard.queue import lua_source
from dashboard.queue.job import Job
from tests.queue.loops import W, running
from tests.queue.running import Client, Q, attempts, held, ids, pending, push
from tests.support.known_scripts import make_known
from tests.support.processes import wait_until
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer

SETTLE = lua_source.load("settle").sha.encode()
FAIL = lua_source.load("fail").sha.encode()
RELEASE = lua_source.load("release").sha.encode()


@pytest.fixture(autouse=True)
def scripts_are_known(redis_client: Client) -> None:
    """What is lost is the reply to a call that happened."""
    make_known(redis_client)


class Counted:
    """A handler that counts runs by id and may be told to raise."""

    def __init__(self, *failing: str) -> None:
        self.runs: Counter[object] = Counter()
        self.failing = failing

    def __call__(self, job: Job) -> None:
        self.runs[job.id] += 1
        if job.id in self.failing:
            raise ValueError


def is_empty(client: Client) -> bool:
    return not client.llen(Q.pending) and not held(client)


def test_S2_a_claim_whose_reply_is_lost_runs_its_job_once_without_a_restart(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    handler = Counted()
    with Proxy(shared_server.port) as proxy, running(proxy.url, handler) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        proxy.lose_replies(to=b"BLMOVE", count=1)
        wait_until(lambda: proxy.lost_count, 5, "it waits for a job", every_seconds=0.005)
        push(redis_client, "a")
        wait_until(lambda: handler.runs["a"], 5, "the job runs")
        push(redis_client, "b")
        wait_until(lambda: handler.runs["b"] and is_empty(redis_client), 5, "so does the next")
    assert handler.runs == {"a": 1, "b": 1}


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("losses", [1, 2])
def test_a_settle_whose_reply_is_lost_runs_every_job_once(
    shared_server: ValkeyServer, redis_client: Client, batch: int, losses: int
) -> None:
    names = [str(n) for n in range(8)]
    handler = Counted()
    with Proxy(shared_server.port) as proxy, running(proxy.url, handler, batch=batch) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        push(redis_client, "first")
        wait_until(lambda: handler.runs["first"], 5, "it works")
        proxy.lose_replies(to=SETTLE, count=losses)
        push(redis_client, *names)
        wait_until(lambda: set(handler.runs) == {"first", *names}, 10, "all run")
        wait_until(lambda: is_empty(redis_client), 10, "all are acknowledged")
        assert proxy.lost_count == losses
    assert set(handler.runs.values()) == {1}
    assert not redis_client.exists(Q.dead, Q.delayed)


def test_S61_of_two_equal_jobs_both_run_when_the_reply_of_the_settle_between_them_is_lost(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    handler = Counted()
    with Proxy(shared_server.port) as proxy, running(proxy.url, handler) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        push(redis_client, "first")
        wait_until(lambda: handler.runs["first"], 5, "it works")
        redis_client.eval(
            "redis.call('LPUSH', KEYS[1], ARGV[1], ARGV[1])", 1, Q.pending, b'{"id":"twin","attempts":0}'
        )
        proxy.lose_replies(to=SETTLE, count=3)
        wait_until(lambda: handler.runs["twin"] >= 2 and is_empty(redis_client), 10, "both run")
    assert handler.runs == {"first": 1, "twin": 2}
    assert redis_client.hget(Q.stats, "acked") == b"3"


def test_a_settle_that_redis_forgot_runs_its_jobs_again_rather_than_losing_one(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    with Proxy(shared_server.port) as proxy:

        def handler(job: Job) -> None:
            handled.append(str(job.id))
            if len(handled) == 1:
                # The acknowledgement that follows happens, and then Redis loses what it knew of it.
                proxy.lose_replies(to=SETTLE, count=1)
                redis_client.delete(Q.workers)

        handled: list[str] = []
        with running(proxy.url, handler, batch=2):
            push(redis_client, "a")
            wait_until(
                lambda: proxy.lost_count and redis_client.delete(Q.workers) >= 0, 5, "the reply is lost"
            )
            push(redis_client, "b")
            wait_until(lambda: "b" in handled and is_empty(redis_client), 10, "the next runs")
    assert set(handled) == {"a", "b"}


def test_S24_a_failure_whose_reply_is_lost_is_delayed_once_with_one_attempt_more(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    handler = Counted("a")
    with Proxy(shared_server.port) as proxy, running(proxy.url, handler) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        proxy.lose_replies(to=FAIL, count=1)
        push(redis_client, "a", "b")
        wait_until(lambda: handler.runs["b"] and is_empty(redis_client), 10, "the loop goes on")
    members = redis_client.zrange(Q.delayed, 0, -1)
    assert (ids(members), attempts(members)) == (["a"], [1])
    assert handler.runs == {"a": 1, "b": 1}


def test_S66_two_equal_jobs_fail_and_a_reply_is_lost_and_both_are_delayed(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    handler = Counted("twin")
    with Proxy(shared_server.port) as proxy, running(proxy.url, handler, batch=2) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        proxy.lose_replies(to=FAIL, count=1)
        redis_client.lpush(Q.pending, *[b'{"id":"twin","attempts":0}'] * 2)
        wait_until(lambda: redis_client.zcard(Q.delayed) == 2, 10, "both are delayed")
        wait_until(lambda: is_empty(redis_client), 5, "nothing is held")
    assert attempts(redis_client.zrange(Q.delayed, 0, -1)) == [1, 1]


def test_a_release_whose_reply_is_lost_gives_each_job_back_once(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    with Proxy(shared_server.port) as proxy:
        proxy.lose_replies(to=RELEASE, count=1)
        push(redis_client, "suspect", attempts=1)
        push(redis_client, "b", "c")
        handler = Counted()
        with running(proxy.url, handler, batch=3):
            wait_until(lambda: len(handler.runs) == 3 and is_empty(redis_client), 10, "all run")
        assert proxy.lost_count == 1
    assert handler.runs == {"suspect": 1, "b": 1, "c": 1}


def test_a_server_that_restarts_under_a_loop_is_found_again_within_five_seconds() -> None:
    handler = Counted()
    with ValkeyServer() as server, running(server.url, handler) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        server.kill()
        server.start()
        with server.client() as client:
            push(client, "b")
            wait_until(lambda: handler.runs["b"], 5, "it works again")
            wait_until(lambda: is_empty(client), 5, "and acknowledges")
            assert client.lrange(Q.processing(W), 0, -1) == pending(client) == []
