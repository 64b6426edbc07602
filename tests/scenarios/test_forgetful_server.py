"""S34: a server that forgets its scripts between any two calls."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import chain, pairwise
from typing import Any

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.connections import Connections
from dashboard.queue.job import Job
from dashboard.queue.policy import Policy
from dashboard.queue.producer import Producer
from dashboard.queue.scripts import Scripts
from tests.queue.loops import running
from tests.queue.running import Client, Q, held
from tests.support.keyspace import snapshot
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer
from tests.support.standing_queue import NOW, QUEUE, SILENT, W1, job

HISTORY: list[Callable[[Scripts], object]] = [
    lambda s: s.enqueue(QUEUE, [job("a"), job("b"), job("c")]),
    lambda s: s.beat(QUEUE, W1),
    lambda s: s.claim(QUEUE, W1, 2),
    lambda s: s.settle(QUEUE, W1, 1, [job("a")], 1),
    lambda s: s.fail(QUEUE, W1, job("b"), job("b", 1), delay_ms=0, error="no"),
    lambda s: s.promote_due(QUEUE, act=Act("janitor")),
    lambda s: s.release(QUEUE, W1, [job("c")]),
    lambda s: s.retire(QUEUE, W1),
]


def test_S34_scripts_forgotten_between_any_two_calls_change_no_answer(
    client: Client, wire: redis.Redis
) -> None:
    def run(forgets_before: tuple[int, ...]) -> tuple[list[Any], Any]:
        client.flushall()
        answers: list[Any] = []
        for place, call in enumerate(HISTORY):
            if place in forgets_before:
                client.script_flush()
            answers.append(call(Scripts(wire, now=NOW)))
        return answers, snapshot(client, QUEUE)

    places = range(len(HISTORY))
    expected = run(())
    for forgets_before in chain([(place,) for place in places], pairwise(places), [tuple(places)]):
        assert run(forgets_before) == expected, forgets_before


@pytest.mark.parametrize("batch", [1, 10])
def test_S34_a_loop_under_constant_forgetting_runs_every_job_once(
    each_server: ValkeyServer, batch: int
) -> None:
    runs: Counter[object] = Counter()
    ended = threading.Event()

    def handler(one: Job) -> None:
        runs[one.id] += 1

    def forget() -> None:
        with each_server.client() as other:
            while not ended.is_set():
                other.script_flush()
                time.sleep(0.001)

    forgetting = threading.Thread(target=forget)
    with each_server.client() as client, running(each_server.url, handler, batch=batch):
        forgetting.start()
        try:
            made = Producer(Connections.from_url(each_server.url), "q").enqueue_many(range(300))
            wait_until(lambda: len(runs) == 300, 30, "all jobs run")
            wait_until(lambda: not held(client), 10, "all are acknowledged")
        finally:
            ended.set()
            forgetting.join()
        assert runs == dict.fromkeys(made, 1)
        assert not client.exists(Q.pending, Q.delayed, Q.dead)


def test_S34_a_reap_in_several_calls_survives_forgetting_between_them(
    client: Client, scripts: Scripts
) -> None:
    client.lpush(QUEUE.processing(W1), *(job(f"j{n}") for n in range(25)))
    client.hset(QUEUE.heartbeats, W1, SILENT)
    moved = 0
    while client.exists(QUEUE.processing(W1)):
        client.script_flush()
        moved += scripts.requeue(
            QUEUE, W1, why="stale", evidence=SILENT, defaults=Policy(), act=Act("janitor"), limit=10,
            watched_since=NOW - 3600,
        ).moved_count  # fmt: skip
    assert moved == 25
    assert client.lrange(QUEUE.pending, 0, -1)[::-1] == [job(f"j{n}", 1) for n in range(25)]
