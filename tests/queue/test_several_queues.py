"""Workers of several queues as processes: their beats, deaths and farewells in each of them."""

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
    attempts,
    held,
    ids,
    janitor,
    pid_of,
    push,
    ran,
    supervisor,
    worker,
    workers,
)
from tests.support.processes import PythonProcess, state_of, wait_until

QUEUES = ("high", "low")


def start(kind: str, url: str, **options: Any) -> PythonProcess:
    """A worker of both queues, of one kind or the other."""
    run = supervisor if kind == "supervised" else worker
    return run(url, queue=list(QUEUES), **options)


def beating(client: Client) -> bytes | None:
    """The one worker that beats in both queues."""
    high, low = (workers(client, name) for name in QUEUES)
    return next(iter(high)) if high == low and len(high) == 1 else None


def wait_for_both(client: Client) -> bytes:
    """Wait for the one worker of both queues; return its name."""
    return wait_until(lambda: beating(client), 10, "one worker beats in both queues") or b""


def nobody_holds(client: Client) -> bool:
    """No list of a worker is left in either queue."""
    return not any(held(client, name) for name in QUEUES)


def wait_for_job(client: Client, job_id: str, queue: str) -> bytes:
    """Wait until somebody holds a job of a queue; return who."""

    def holder() -> bytes | None:
        return next((name for name, raws in held(client, queue).items() if job_id in ids(raws)), None)

    return wait_until(holder, 10, f"job {job_id} is claimed") or b""


@pytest.mark.parametrize("kind", ["supervised", "embedded"])
def test_one_worker_beats_in_each_queue_under_one_name_and_token_and_retires_from_each(
    redis_url: str, redis_client: Client, kind: str
) -> None:
    push(redis_client, "l1", "l2", queue="low")
    push(redis_client, "h1", "h2", queue="high")
    with start(kind, redis_url) as process:
        wait_until(lambda: len(ran(redis_client)) == 4, 10, "all run")
        name = wait_for_both(redis_client)
        records = [json.loads(redis_client.hget(f"{queue}:workers", b"i:" + name)) for queue in QUEUES]
        assert records[0]["token"] == records[1]["token"]
        assert {one["process"] for one in records} == {kind}
        assert {redis_client.hget(f"{queue}:policy", "managed") for queue in QUEUES} == {b"1"}
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert ran(redis_client) == ["h1", "h2", "l1", "l2"]
    assert redis_client.smembers("watchkeeper:queues") == {b"high", b"low"}
    for queue in QUEUES:
        assert workers(redis_client, queue) == set()
        assert json.loads(redis_client.hget(f"{queue}:workers", b"t:" + name))["state"] == "stopped"
    assert nobody_holds(redis_client)


@pytest.mark.parametrize("busy", QUEUES)
def test_S10_a_child_killed_in_a_job_of_one_queue_is_seen_off_from_both_within_a_second(
    redis_url: str, redis_client: Client, busy: str
) -> None:
    push(redis_client, "a", queue=busy, sleep=30)
    with supervisor(redis_url, queue=list(QUEUES)) as process:
        name = wait_for_job(redis_client, "a", busy)
        wait_until(
            lambda: all(name in workers(redis_client, queue) for queue in QUEUES), 5, "it beats in both"
        )
        os.kill(pid_of(name), signal.SIGKILL)
        killed_at = time.monotonic()
        wait_until(
            lambda: redis_client.hget(f"{busy}:stats", "reaped"), 5, "it is reaped", every_seconds=0.005
        )
        assert time.monotonic() - killed_at < 1
        wait_until(lambda: not any(name in workers(redis_client, queue) for queue in QUEUES), 5, "it is gone")
        heir = wait_for_job(redis_client, "a", busy)
        assert heir != name
        assert attempts(held(redis_client, busy)[heir]) == [1]
        ends = [json.loads(redis_client.hget(f"{queue}:workers", b"t:" + name)) for queue in QUEUES]
        assert {queue: end["state"] for queue, end in zip(QUEUES, ends, strict=True)} == {
            queue: "reaped" if queue == busy else "stopped" for queue in QUEUES
        }
        assert process.is_running()


def test_a_child_killed_while_it_waits_for_a_job_of_one_queue_leaves_nothing_in_either(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url, queue=list(QUEUES)) as process:
        name = wait_for_both(redis_client)
        wait_until(
            lambda: redis_client.info("clients")["blocked_clients"], 10, "it waits", every_seconds=0.005
        )
        os.kill(pid_of(name), signal.SIGKILL)
        push(redis_client, "h", queue="high")
        push(redis_client, "l", queue="low")
        wait_until(lambda: sorted(ran(redis_client)) == ["h", "l"], 10, "its successor runs both")
        wait_until(lambda: not any(name in workers(redis_client, queue) for queue in QUEUES), 5, "it is gone")
        wait_until(lambda: nobody_holds(redis_client), 5, "nothing is held")
        assert process.is_running()


@pytest.mark.parametrize("kind", ["supervised", "embedded"])
def test_a_stop_finishes_the_running_job_and_gives_the_rest_back_to_its_queue(
    redis_url: str, redis_client: Client, kind: str
) -> None:
    push(redis_client, "l1", queue="low", sleep=1)
    push(redis_client, "l2", "l3", queue="low")
    with start(kind, redis_url, batch=3) as process:
        wait_until(lambda: redis_client.lrange("began", 0, -1) == [b"l1"], 10, "the first runs")
        push(redis_client, "h1", queue="high")
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert ran(redis_client) == ["l1"]
    assert ids(redis_client.lrange("low:pending", 0, -1)) == ["l3", "l2"]
    assert ids(redis_client.lrange("high:pending", 0, -1)) == ["h1"]
    assert nobody_holds(redis_client)
    assert [workers(redis_client, queue) for queue in QUEUES] == [set(), set()]


def test_S30_a_job_past_the_grace_is_back_at_the_front_of_its_own_queue(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "l1", "l2", queue="low", sleep=60)
    with supervisor(redis_url, queue=list(QUEUES), grace_seconds=1) as process:
        wait_for_job(redis_client, "l1", "low")
        process.signal(signal.SIGTERM)
        assert process.wait(8) == 0
    assert ids(redis_client.lrange("low:pending", 0, -1)) == ["l2", "l1"]
    assert attempts(redis_client.lrange("low:pending", 0, -1)) == [0, 0]
    assert not redis_client.exists("high:pending", "high:heartbeats", "low:heartbeats")


def test_a_frozen_child_is_beaten_for_in_neither_queue(redis_url: str, redis_client: Client) -> None:
    with supervisor(redis_url, queue=list(QUEUES)):
        name = wait_for_both(redis_client)
        os.kill(pid_of(name), signal.SIGSTOP)
        wait_until(lambda: state_of(pid_of(name)) == "T", 5, "it is frozen")
        before = [int(redis_client.hget(f"{queue}:heartbeats", name)) for queue in QUEUES]
        ends_at = time.monotonic() + 2.5
        wait_until(lambda: time.monotonic() > ends_at, 5, "two beats would have come")
        after = [int(redis_client.hget(f"{queue}:heartbeats", name)) for queue in QUEUES]
        assert all(late - early <= 1 for early, late in zip(before, after, strict=True))
        os.kill(pid_of(name), signal.SIGCONT)
        push(redis_client, "l", queue="low")
        wait_until(lambda: ran(redis_client) == ["l"], 10, "it works again")


@pytest.mark.parametrize("kind", ["supervised", "embedded"])
@pytest.mark.parametrize("broken", QUEUES)
def test_heartbeats_of_another_type_in_one_queue_do_not_stop_the_other(
    redis_url: str, redis_client: Client, kind: str, broken: str
) -> None:
    other = "low" if broken == "high" else "high"
    redis_client.set(f"{broken}:heartbeats", "mine")
    push(redis_client, "waits", queue=broken)
    push(redis_client, "a", "b", queue=other)
    with start(kind, redis_url) as process:
        wait_until(lambda: ran(redis_client) == ["a", "b"], 10, "the other queue runs")
        assert ids(redis_client.lrange(f"{broken}:pending", 0, -1)) == ["waits"]
        redis_client.delete(f"{broken}:heartbeats")
        wait_until(lambda: ran(redis_client) == ["a", "b", "waits"], 10, "it runs under a heartbeat")
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert nobody_holds(redis_client)
    assert [workers(redis_client, queue) for queue in QUEUES] == [set(), set()]


def test_S65_children_of_a_killed_supervisor_beat_in_both_queues_until_they_leave(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "l", queue="low", sleep=4)
    with supervisor(redis_url, queue=list(QUEUES)) as process:
        name = wait_for_job(redis_client, "l", "low")
        process.kill()
        push(redis_client, "h", queue="high")

        def is_fresh() -> bool:
            seconds, _ = redis_client.time()
            for queue in QUEUES:
                for beat in redis_client.hvals(f"{queue}:heartbeats"):
                    assert seconds - int(beat) < POLICY.stale_after_seconds
            return ran(redis_client) == ["l"]

        wait_until(is_fresh, 15, "the job ends under fresh heartbeats", every_seconds=0.1)
        wait_until(lambda: state_of(pid_of(name)) in "ZX", 5, "the child is gone")
    assert [workers(redis_client, queue) for queue in QUEUES] == [set(), set()]
    assert nobody_holds(redis_client)
    assert ids(redis_client.lrange("high:pending", 0, -1)) == ["h"]


def test_S10_the_job_of_a_lone_worker_of_two_queues_comes_back_through_the_janitor(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "l", queue="low", sleep=60)
    with janitor(redis_url, *QUEUES), worker(redis_url, queue=list(QUEUES)) as lone:
        wait_for_job(redis_client, "l", "low")
        lone.kill()
        wait_until(lambda: redis_client.llen("low:pending"), 15, "the job is back")
    assert attempts(redis_client.lrange("low:pending", 0, -1)) == [1]
    assert nobody_holds(redis_client)
