"""The embedded worker: its beats, its end, and explicit names."""

from __future__ import annotations

import json
import signal
import threading
import time

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import ReservedName, WorkerNameTaken
from dashboard.queue.job import Job
from dashboard.queue.worker import Worker
from tests.queue.running import POLICY, Client, Q, attempts, held, ids, pending, push, ran, worker, workers
from tests.queue.test_reaper import hold, now_of
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer, free_port


def test_it_beats_works_and_retires(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", "b")
    with worker(redis_url) as process:
        wait_until(lambda: ran(redis_client) == ["a", "b"], 10, "both run")
        (name,) = workers(redis_client)
        record = json.loads(redis_client.hget(Q.workers, b"i:" + name))
        assert (record["pid"], record["process"]) == (process.pid, "embedded")
        wait_until(
            lambda: redis_client.hget(Q.workers, b"b:" + name) == b'{"since":null,"jobs":0}', 5, "is idle"
        )
        process.signal(signal.SIGTERM)
        assert process.wait(5) == 0
    assert workers(redis_client) == set()
    assert held(redis_client) == {}
    assert redis_client.smembers("watchkeeper:queues") == {b"q"}


def test_a_busy_worker_says_since_when_and_how_many(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", sleep=3)
    push(redis_client, "b")
    with worker(redis_url, batch=2):
        busy = wait_until(
            lambda: next(
                (
                    value
                    for field, value in redis_client.hgetall(Q.workers).items()
                    if field.startswith(b"b:") and b'"jobs":2' in value
                ),
                None,
            ),
            10,
            "it says that it is busy",
        )
        since = json.loads(busy or b"")["since"]
        assert abs(since - now_of(redis_client)) < 4


def test_async_handlers_are_run(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", "b")
    with worker(redis_url, handler="tests.queue.handlers:perform_async"):
        wait_until(lambda: ran(redis_client) == ["a", "b"], 10, "both run")


def test_it_waits_for_a_server_that_comes_late() -> None:
    port = free_port()
    server = ValkeyServer()
    server.port = port
    seen: list[object] = []
    late = Worker(
        Connections.from_url(f"redis://127.0.0.1:{port}/0"),
        "q",
        lambda job: seen.append(job.id),
        defaults=POLICY,
    )
    thread = threading.Thread(target=late.run)
    thread.start()
    try:
        with server, server.client() as client:
            push(client, "a")
            wait_until(lambda: seen == ["a"], 10, "the job runs")
            late.stop()
            thread.join(10)
            assert not thread.is_alive()
            assert workers(client) == set()
    finally:
        late.stop()
        thread.join(10)


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S33_a_worker_that_cannot_say_farewell_leaves_its_heartbeat_and_its_jobs(kind: Kind) -> None:
    entered = threading.Event()
    with ValkeyServer(kind, appendonly="yes", appendfsync="always") as server:

        def handler(_: Job) -> None:
            server.kill()
            entered.set()

        one = Worker(
            Connections.from_url(server.url), "q", handler, batch=2, defaults=POLICY, grace_seconds=0.5
        )
        with server.client() as client:
            push(client, "a", "b")
        thread = threading.Thread(target=one.run)
        thread.start()
        assert entered.wait(10)
        one.stop()
        thread.join(10)
        assert not thread.is_alive()
        server.start()
        with server.client() as client:
            assert workers(client) == {one.name}
            assert ids(held(client)[one.name]) == ["b", "a"]


def test_a_name_with_a_reserved_segment_is_refused(redis_url: str) -> None:
    with pytest.raises(ReservedName):
        Worker(Connections.from_url(redis_url), "q", print, name="host:dead")


def test_an_explicit_name_that_nobody_has_is_taken_at_once(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a")
    with worker(redis_url, name="w1"):
        wait_until(lambda: ran(redis_client) == ["a"], 10, "it runs")
        assert workers(redis_client) == {b"w1"}


def test_S20_a_second_live_worker_under_one_name_refuses_and_steals_nothing(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", sleep=30)
    with worker(redis_url, name="w1"):
        wait_until(lambda: held(redis_client), 10, "the first holds a job")
        before = held(redis_client)
        second = Worker(Connections.from_url(redis_url), "q", print, name="w1", defaults=POLICY)
        # Whatever it does instead of refusing comes to an end.
        late = threading.Timer(20, second.stop)
        late.start()
        with pytest.raises(WorkerNameTaken, match="Another worker named w1 beats in queue q"):
            second.run()
        late.cancel()
        assert held(redis_client) == before


def test_S19_a_worker_killed_and_restarted_under_its_name_gets_its_old_jobs_back_once(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", "b", sleep=0.2)
    push(redis_client, "c")
    with worker(redis_url, name="w1", batch=2) as first:
        wait_until(lambda: len(held(redis_client).get(b"w1", [])) == 2, 10, "it holds two jobs")
        first.kill()
    began = time.monotonic()
    with worker(redis_url, name="w1"):
        wait_until(lambda: sorted(ran(redis_client)) == ["a", "b", "c"], 15, "all run")
        assert time.monotonic() - began >= POLICY.stale_after_seconds - 2
        wait_until(lambda: held(redis_client) == {}, 5, "all are acknowledged")
    assert redis_client.hget(Q.stats, "reaped") == b"2"


def test_an_orphan_list_under_the_name_is_given_back_before_the_start(
    redis_url: str, redis_client: Client
) -> None:
    hold(redis_client, b"w1", "a")
    with worker(redis_url, name="w1"):
        wait_until(lambda: ran(redis_client) == ["a"], 15, "it runs again")
    assert attempts(pending(redis_client)) == []
    assert redis_client.hget(Q.stats, "reaped") == b"1"
