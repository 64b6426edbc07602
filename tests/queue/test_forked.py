"""A process that a handler forks and forgets to end must not go on as a second worker.

It would have the first one's connection, and settle its jobs a second time.
"""

from __future__ import annotations

import signal

import pytest

from tests.queue.running import Client, Q, held, push, ran, supervisor, worker, workers
from tests.support.processes import wait_until


@pytest.mark.parametrize("batch", [1, 10])
@pytest.mark.parametrize("start", [supervisor, worker], ids=["supervised", "embedded"])
@pytest.mark.parametrize(("ending", "exit_code"), [("return", b"0"), ("exit", b"3"), ("raise", b"1")])
def test_it_ends_where_it_leaves_the_handler_and_every_job_runs_once(
    redis_url: str, redis_client: Client, start: type, batch: int, ending: str, exit_code: bytes
) -> None:
    ids = [str(n) for n in range(5)]
    for job_id in ids:
        push(redis_client, job_id, fork=ending)
    with start(redis_url, batch=batch) as process:
        wait_until(lambda: len(ran(redis_client)) == len(ids), 10, "all run")
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert redis_client.lrange("forked", 0, -1) == [exit_code] * len(ids)
    assert redis_client.lrange("began", 0, -1) == [one.encode() for one in ids]
    assert ran(redis_client) == ids
    assert redis_client.hget(Q.stats, "acked") == str(len(ids)).encode()
    assert held(redis_client) == {}
    assert not redis_client.exists(Q.pending, Q.delayed, Q.dead)


def test_it_ends_by_a_sigterm_of_its_own_and_its_worker_hears_nothing_of_it(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url, batch=1) as process:
        (name,) = wait_until(lambda: workers(redis_client), 10, "a child is beaten for")
        push(redis_client, "a", terminate=1)
        push(redis_client, "b", terminate=1)
        wait_until(lambda: ran(redis_client) == ["a", "b"], 30, "both run")
        assert workers(redis_client) == {name}
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert redis_client.lrange("ended", 0, -1) == [b"-15", b"-15"]
    assert redis_client.lrange("began", 0, -1) == [b"a", b"b"]
