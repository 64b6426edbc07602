"""S17, S21: healthy workers that look dead for a while are never reaped."""

from __future__ import annotations

import pytest

from dashboard.queue import lua_source
from dashboard.queue.keys import QueueKeys
from tests.queue.running import POLICY, Client, Q, held, janitor, push, supervisor, worker
from tests.support.processes import wait_until
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer

T = POLICY.stale_after_seconds
BEAT = lua_source.load("beat").sha.encode()
OTHER = QueueKeys("other")


def test_S17_a_job_of_five_thresholds_under_a_healthy_worker_runs_once(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "supervised", sleep=5 * T)
    push(redis_client, "embedded", sleep=5 * T, queue="other")
    with supervisor(redis_url), worker(redis_url, queue="other"), janitor(redis_url, "q", "other"):
        wait_until(lambda: redis_client.llen("ran") == 2, 5 * T + 15, "both jobs end")
        wait_until(lambda: not held(redis_client) and not held(redis_client, "other"), 5, "and are settled")
    assert sorted(redis_client.lrange("began", 0, -1)) == [b"embedded", b"supervised"]
    for q in (Q, OTHER):
        assert redis_client.hget(q.stats, "reaped") is None
        assert not redis_client.exists(q.pending, q.delayed, q.dead)


@pytest.mark.parametrize("threshold_seconds", [6])
def test_S21_beats_that_fail_for_two_thirds_of_the_threshold_and_recover_cost_nothing(
    shared_server: ValkeyServer, redis_client: Client, threshold_seconds: int
) -> None:
    policy = {"stale_after_seconds": threshold_seconds, "beat_seconds": 1}
    redis_client.hset(Q.policy, mapping=policy)
    push(redis_client, "a", sleep=threshold_seconds + 2)
    with (
        Proxy(shared_server.port) as proxy,
        worker(proxy.url, runs_url=shared_server.url, policy=policy) as process,
        janitor(shared_server.url, "q"),
    ):
        wait_until(lambda: redis_client.lrange("began", 0, -1), 10, "the job runs")
        proxy.lose_replies(to=BEAT, count=1_000_000)
        before = redis_client.hvals(Q.heartbeats)
        now = redis_client.time()[0]
        wait_until(
            lambda: redis_client.time()[0] - now >= threshold_seconds * 2 / 3, 10, "beats fail for a while"
        )
        proxy.reset()
        wait_until(lambda: redis_client.hvals(Q.heartbeats) != before, 5, "it beats again")
        wait_until(lambda: redis_client.lrange("ran", 0, -1) == [b"a"], 20, "the job ends")
        wait_until(lambda: not held(redis_client), 5, "and is settled")
        assert "no beat for worker" in process.output()
    assert redis_client.lrange("began", 0, -1) == [b"a"]
    assert redis_client.hget(Q.stats, "reaped") is None
