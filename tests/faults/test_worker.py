"""A worker whose replies are lost: each job runs as often as promised, and the loop goes on by itself."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import pytest

from dashboard.queue.assignment import Assignment
from dashboard.queue.connections import Connections
from dashboard.queue.job import Job
from dashboard.queue.job_loop import JobLoop
from dashboard.queue.worker import Worker
from tests.faults.every_reply import for_every_reply
from tests.queue.loops import W, beaten_slot
from tests.queue.running import POLICY, Client, Q, attempts, held, ids, push, workers
from tests.support.proxy import Fault, Proxy

TWIN = b'{"id":"twin","payload":null,"attempts":0}'
NO_JOB = b"not json"
BLOCK_SECONDS = 0.05


WANTED = {"a": 1, "fails": 1, "suspect": 1, "b": 1, "twin": 2, "other suspect": 1, "c": 1}


class Handler:
    """Counts runs by id, raises for the job "fails", and stops the loop once all that is `wanted` has run."""

    def __init__(self, wanted: dict[str, int]) -> None:
        self.runs: Counter[object] = Counter()
        self.wanted = wanted
        self.stop: Callable[[], None] = lambda: None

    def __call__(self, job: Job) -> None:
        self.runs[job.id] += 1
        if self.runs == self.wanted:
            self.stop()
        if job.id == "fails":
            raise ValueError("this one fails")


def furnish(client: Client) -> None:
    """Good jobs, one that fails, suspects between them, two equal ones, and bytes that are no job."""
    push(client, "a", "fails")
    push(client, "suspect", attempts=2)
    push(client, "b")
    client.lpush(Q.pending, NO_JOB, TWIN, TWIN)
    push(client, "other suspect", attempts=1)
    push(client, "c")


def check(client: Client, handler: Handler) -> None:
    """Each job ran once and is in its place."""
    assert handler.runs == handler.wanted
    assert held(client) == {}
    assert not client.exists(Q.pending)
    delayed = client.zrange(Q.delayed, 0, -1)
    assert (ids(delayed), attempts(delayed)) == (["fails"], [1])
    assert client.lrange(Q.dead, 0, -1) == [NO_JOB]


def work(run: Callable[[], None]) -> None:
    """Run a loop in a thread to its end, which must come."""
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "the loop hangs"


@pytest.mark.parametrize("batch", [1, 10])
def test_a_loop_runs_every_job_as_promised(
    proxy: Proxy, redis_client: Client, fault: Fault, batch: int
) -> None:
    def history() -> None:
        furnish(redis_client)
        handler, slot = Handler(WANTED), beaten_slot()
        connections = Connections.from_url(proxy.url)
        loop = JobLoop(
            connections,
            Assignment((Q,)),
            W,
            handler,
            [slot],
            batch=batch,
            defaults=POLICY,
            block_seconds=BLOCK_SECONDS,
        )
        handler.stop = loop.stop
        work(loop.run)
        check(redis_client, handler)

    for_every_reply(proxy, redis_client, fault, history, at_least=10)


def test_an_embedded_worker_beats_runs_every_job_and_retires(
    proxy: Proxy, redis_client: Client, fault: Fault
) -> None:
    def history() -> None:
        furnish(redis_client)
        handler = Handler(WANTED)
        connections = Connections.from_url(proxy.url)
        worker = Worker(connections, "q", handler, batch=3, defaults=POLICY, block_seconds=BLOCK_SECONDS)
        handler.stop = worker.stop
        work(worker.run)
        connections.close()
        check(redis_client, handler)
        assert workers(redis_client) == set()

    for_every_reply(proxy, redis_client, fault, history, at_least=20, may_miss=4)


def test_a_worker_under_an_explicit_name_gives_back_what_its_predecessor_held(
    proxy: Proxy, redis_client: Client, fault: Fault
) -> None:
    def history() -> None:
        redis_client.lpush(Q.processing(W), b'{"id":"left","payload":null,"attempts":0}')
        watched_for = POLICY.stale_after_seconds + 10
        seconds, _ = redis_client.time()
        beat = b"%d" % (seconds - 3600)
        redis_client.hset(Q.heartbeats, W, beat)
        redis_client.hset(Q.watch, W, b"%d %d %s" % (seconds - watched_for, seconds, beat))
        push(redis_client, "a")
        handler = Handler({"left": 1, "a": 1})
        connections = Connections.from_url(proxy.url)
        worker = Worker(connections, "q", handler, name=W, defaults=POLICY, block_seconds=BLOCK_SECONDS)
        handler.stop = worker.stop
        work(worker.run)
        connections.close()
        assert handler.runs == handler.wanted
        assert redis_client.hget(Q.stats, "reaped") == b"1"
        assert (held(redis_client), workers(redis_client)) == ({}, set())
        assert not redis_client.exists(Q.pending, Q.delayed, Q.dead)

    for_every_reply(proxy, redis_client, fault, history, at_least=20, may_miss=4, after=b"DISCARD")
