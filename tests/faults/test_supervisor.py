"""A supervisor and its children whose replies are lost: beats, departures and claims go on by themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.crew import BEGAN, ORDERS, OUTCOMES
from tests.faults.every_reply import for_every_reply
from tests.queue.running import Client, Q, held, push, workers
from tests.support.processes import PythonProcess, wait_until
from tests.support.proxy import Fault, Proxy
from tests.support.server import ValkeyServer


@pytest.fixture
def crew(shared_server: ValkeyServer) -> Iterator[PythonProcess]:
    """A process that runs supervisors by order."""
    url = shared_server.url
    with PythonProcess("-m", "tests.faults.crew", url, env={"RUNS_URL": url}) as process:
        yield process


PREFLIGHT_ENDS = b"DISCARD"


def test_a_supervisor_that_loses_replies_at_its_start_works_all_the_same(
    proxy: Proxy, redis_client: Client, cut: Fault, crew: PythonProcess
) -> None:
    def history() -> None:
        push(redis_client, "last")
        redis_client.rpush(ORDERS, proxy.url)
        wait_for_end(redis_client)
        assert redis_client.lrange(BEGAN, 0, -1) == [b"last 0"]
        assert crew.is_running()

    for_every_reply(proxy, redis_client, cut, history, at_least=10, until=PREFLIGHT_ENDS)


def test_jobs_run_a_dead_childs_job_runs_again_and_all_retire(
    proxy: Proxy, redis_client: Client, cut: Fault, crew: PythonProcess
) -> None:
    def history() -> None:
        push(redis_client, "a", "dies", "b")
        redis_client.rpush(ORDERS, proxy.url)
        wait_until(lambda: redis_client.llen(BEGAN) == 4, 10, "all jobs run")
        push(redis_client, "last")
        wait_for_end(redis_client)
        began = sorted(redis_client.lrange(BEGAN, 0, -1))
        assert began == [b"a 0", b"b 0", b"dies 0", b"dies 1", b"last 0"]
        assert redis_client.hget(Q.stats, "reaped") == b"1"
        assert crew.is_running()

    for_every_reply(proxy, redis_client, cut, history, at_least=25, may_miss=5, after=PREFLIGHT_ENDS)


def wait_for_end(client: Client) -> None:
    """Wait until the supervisor has ended well, with nothing left behind."""
    wait_until(lambda: client.llen(OUTCOMES), 15, "the supervisor ends")
    assert client.lrange(OUTCOMES, 0, -1) == [b"0"]
    assert (held(client), workers(client)) == ({}, set())
    assert not client.exists(Q.pending, Q.delayed, Q.dead)
