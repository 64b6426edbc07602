"""`watchkeeper janitor`: promotes and reaps on managed queues, leaves found ones alone, ends in order."""

from __future__ import annotations

import signal

import pytest
import redis

from dashboard.queue.keys import REGISTRY
from tests.cli.jobs_in_redis import ids, job
from tests.support.processes import PythonProcess, wait_until


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_due_jobs_of_a_named_queue_are_promoted_and_those_of_a_found_one_are_not(
    redis_client: redis.Redis, redis_url: str, number: signal.Signals
) -> None:
    due = redis_client.time()[0] - 10
    for queue in ("mail", "other"):
        redis_client.zadd(f"{queue}:delayed", {job("a"): due})

    with PythonProcess(
        "-m", "dashboard.cli", "janitor", "--queue", "mail", env={"REDIS_URL": redis_url}
    ) as janitor:
        wait_until(lambda: ids(redis_client, "mail:pending") == ["a"], 20, "the due job is pending")
        janitor.signal(number)
        assert janitor.wait(10) == 0

    assert redis_client.zcard("mail:delayed") == 0
    assert redis_client.zcard("other:delayed") == 1
    assert redis_client.exists("other:pending") == 0


def test_a_managed_queue_of_the_registry_needs_no_setting(redis_client: redis.Redis, redis_url: str) -> None:
    redis_client.sadd(REGISTRY, "mail")
    redis_client.hset("mail:policy", "managed", "1")
    redis_client.zadd("mail:delayed", {job("a"): redis_client.time()[0] - 10})

    with PythonProcess("-m", "dashboard.cli", "janitor", env={"REDIS_URL": redis_url}):
        wait_until(lambda: ids(redis_client, "mail:pending") == ["a"], 20, "the due job is pending")
