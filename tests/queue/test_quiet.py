"""SIGUSR1: a worker claims no more, finishes what it holds, and stays until it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import pytest

from tests.queue.running import (
    POLICY,
    Client,
    Q,
    held,
    holder_of,
    ids,
    pending,
    pid_of,
    push,
    ran,
    supervisor,
    wait_for_holder,
    worker,
    workers,
)
from tests.support.processes import wait_until


def is_quiet(client: Client, name: bytes) -> bool:
    return bool(json.loads(client.hget(Q.workers, b"b:" + name) or b"{}").get("quiet"))


def beats(client: Client) -> list[bytes]:
    return sorted(client.hvals(Q.heartbeats))


@pytest.mark.parametrize("start", [supervisor, worker])
def test_it_finishes_its_batch_claims_no_more_and_goes_on_beating(
    redis_url: str, redis_client: Client, start: Any
) -> None:
    push(redis_client, "a", sleep=1)
    push(redis_client, "b", "c", "d")
    with start(redis_url, batch=2) as process:
        name = wait_for_holder(redis_client, "a")
        process.signal(signal.SIGUSR1)
        wait_until(lambda: ran(redis_client) == ["a", "b"], 15, "what it holds is run")
        wait_until(lambda: held(redis_client) == {}, 5, "and acknowledged")
        wait_until(lambda: is_quiet(redis_client, name), 5, "its record says so")
        # Longer than any wait of its own between two claims, and than a loop may be silent.
        ends_at = time.monotonic() + POLICY.stale_after_seconds + 1
        wait_until(lambda: time.monotonic() > ends_at, 10, "it would have claimed")
        before = beats(redis_client)
        wait_until(lambda: beats(redis_client) > before, 10, "it beats")
        assert ids(pending(redis_client)) == ["c", "d"]
        assert workers(redis_client) == {name}
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert (ran(redis_client), ids(pending(redis_client))) == (["a", "b"], ["c", "d"])
    assert (workers(redis_client), held(redis_client)) == (set(), {})


def test_children_that_wait_for_a_job_look_up_at_once(redis_url: str, redis_client: Client) -> None:
    with supervisor(redis_url, processes=2, block_seconds=30) as process:
        wait_until(lambda: redis_client.info("clients")["blocked_clients"] == 2, 10, "both wait")
        process.signal(signal.SIGUSR1)
        wait_until(lambda: redis_client.info("clients")["blocked_clients"] == 0, 5, "both look up")
        push(redis_client, "a")
        ends_at = time.monotonic() + 1
        wait_until(lambda: time.monotonic() > ends_at, 5, "one would have claimed it")
        assert (ids(pending(redis_client)), ran(redis_client)) == (["a"], [])
        process.signal(signal.SIGTERM)
        assert process.wait(5) == 0


def test_a_child_that_dies_in_the_quiet_is_replaced_by_a_quiet_one(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", sleep=60)
    with supervisor(redis_url) as process:
        name = wait_for_holder(redis_client, "a")
        process.signal(signal.SIGUSR1)
        wait_until(lambda: is_quiet(redis_client, name), 5, "it is quiet")
        os.kill(pid_of(name), signal.SIGKILL)
        wait_until(lambda: workers(redis_client) - {name}, 10, "another one beats")
        wait_until(lambda: workers(redis_client).isdisjoint({name}), 5, "the dead one is gone")
        (heir,) = workers(redis_client)
        wait_until(lambda: is_quiet(redis_client, heir), 5, "the other is quiet")
        assert ids(pending(redis_client)) == ["a"]
        assert holder_of(redis_client, "a") is None


def test_a_signal_to_the_whole_group_ends_nobody(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", sleep=1)
    with supervisor(redis_url, processes=2) as process:
        wait_for_holder(redis_client, "a")
        wait_until(lambda: len(workers(redis_client)) == 2, 5, "both beat")
        names = workers(redis_client)
        os.killpg(process.pid, signal.SIGUSR1)
        wait_until(lambda: all(is_quiet(redis_client, name) for name in names), 5, "both are quiet")
        wait_until(lambda: ran(redis_client) == ["a"], 10, "the job ends")
        assert workers(redis_client) == names


def test_a_job_that_turns_up_in_the_list_of_a_quiet_worker_is_run(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url) as process:
        wait_until(lambda: workers(redis_client), 10, "it beats")
        process.signal(signal.SIGUSR1)
        (name,) = workers(redis_client)
        wait_until(lambda: is_quiet(redis_client, name), 5, "it is quiet")
        # As a claim's late delivery would.
        redis_client.lpush(Q.processing(name), b'{"id":"stray","attempts":0}')
        wait_until(lambda: ran(redis_client) == ["stray"], 10, "it runs")
        wait_until(lambda: held(redis_client) == {}, 5, "it is acknowledged")


def test_a_quiet_worker_of_two_queues_claims_from_neither(redis_url: str, redis_client: Client) -> None:
    with supervisor(redis_url, queue=["q", "low"]) as process:
        wait_until(lambda: workers(redis_client) and workers(redis_client, "low"), 10, "it beats in both")
        process.signal(signal.SIGUSR1)
        (name,) = workers(redis_client)
        wait_until(lambda: is_quiet(redis_client, name), 5, "it is quiet")
        ends_at = time.monotonic() + 0.5
        wait_until(lambda: time.monotonic() > ends_at, 5, "its last claim has ended")
        push(redis_client, "a")
        push(redis_client, "b", queue="low")
        ends_at = time.monotonic() + 1
        wait_until(lambda: time.monotonic() > ends_at, 5, "it would have claimed")
        assert (ids(pending(redis_client)), ids(pending(redis_client, "low"))) == (["a"], ["b"])
