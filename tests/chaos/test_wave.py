"""A whole fleet stands still for longer than the threshold: the breaker waits, and nothing runs twice."""

from __future__ import annotations

from contextlib import ExitStack

from dashboard.queue.keys import HELD_BACK_COUNT, HELD_BACK_UNTIL
from tests.queue.running import Client, Q, held, ids, janitor, pending, push, ran, worker
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

FLEET = 4
JOBS = [f"job-{number}" for number in range(FLEET)]


def test_a_fleet_that_stood_still_for_over_a_threshold_goes_on_and_no_job_runs_twice(
    each_server: ValkeyServer, each_client: Client
) -> None:
    push(each_client, *JOBS, sleep=2.0)
    with ExitStack() as stack:
        keeper = stack.enter_context(janitor(each_server.url, "q"))
        fleet = [stack.enter_context(worker(each_server.url)) for _ in range(FLEET)]
        wait_until(lambda: len(held(each_client)) == FLEET, 40, "each worker holds a job")
        wait_until(lambda: each_client.hlen(Q.watch) == FLEET, 10, "the janitor watches them")
        for one in fleet:
            one.freeze()
        wait_until(lambda: each_client.hexists(Q.stats, HELD_BACK_UNTIL), 15, "the janitor waits")
        assert int(each_client.hget(Q.stats, HELD_BACK_COUNT)) >= 3
        for one in fleet:
            one.thaw()
        wait_until(lambda: not each_client.hexists(Q.stats, HELD_BACK_UNTIL), 10, "it waits no longer")
        wait_until(lambda: not held(each_client), 20, "all jobs are done")
        assert "fell silent together" in keeper.output()
        assert all(one.is_running() for one in fleet)
    assert sorted(ran(each_client)) == JOBS
    assert not each_client.exists(Q.pending, Q.delayed, Q.dead, Q.events)


def test_a_fleet_that_died_together_is_reaped_a_threshold_later_by_a_janitor_that_died_as_well(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, *JOBS, sleep=60)
    with ExitStack() as stack:
        first = stack.enter_context(janitor(redis_url, "q"))
        fleet = [stack.enter_context(worker(redis_url)) for _ in range(FLEET)]
        wait_until(lambda: len(held(redis_client)) == FLEET, 40, "each worker holds a job")
        wait_until(lambda: redis_client.hlen(Q.watch) == FLEET, 10, "the janitor watches them")
        for one in fleet:
            one.kill()
        wait_until(lambda: redis_client.hexists(Q.stats, HELD_BACK_UNTIL), 15, "the janitor waits")
        assert not redis_client.exists(Q.pending)
        first.kill()
        stack.enter_context(janitor(redis_url, "q"))
        wait_until(lambda: redis_client.llen(Q.pending) == FLEET, 20, "all jobs are given back")
    assert sorted(ids(pending(redis_client))) == JOBS
    assert held(redis_client) == {}
