"""S2, S8, S62, S65: claims that are lost, starts beside a hasty reaper, a supervisor that dies under load."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from dashboard.queue.job import Job
from dashboard.queue.reaper import Reaper, Swept
from tests.queue.loops import running
from tests.queue.running import (
    POLICY,
    Client,
    Q,
    held,
    janitor,
    pid_of,
    push,
    ran,
    supervisor,
    worker,
    workers,
)
from tests.support.processes import PythonProcess, state_of, wait_until
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer


def test_S2_a_worker_process_whose_claim_was_lost_runs_the_job_once_within_a_beat(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    with (
        Proxy(shared_server.port) as proxy,
        supervisor(proxy.url, runs_url=shared_server.url, block_seconds=1) as process,
    ):
        wait_until(lambda: redis_client.info("clients")["blocked_clients"], 10, "it waits for a job")
        (name,) = workers(redis_client)
        proxy.lose_replies(to=b"BLMOVE", count=1)
        wait_until(lambda: proxy.lost_count, 5, "the claim to be lost is under way", every_seconds=0.005)
        push(redis_client, "a")
        pushed_at = time.monotonic()
        wait_until(lambda: ran(redis_client) == ["a"], 5, "the job runs", every_seconds=0.005)
        assert time.monotonic() - pushed_at < POLICY.beat_seconds
        wait_until(lambda: held(redis_client) == {}, 5, "it is acknowledged")
        push(redis_client, "b")
        wait_until(lambda: ran(redis_client) == ["a", "b"], 5, "the next follows")
        assert process.is_running()
        assert workers(redis_client) == {name}, "nobody was restarted"


@pytest.mark.parametrize("start", [supervisor, worker], ids=["supervised", "embedded"])
def test_S8_a_worker_that_starts_on_a_full_queue_beside_a_hasty_reaper_is_never_reaped(
    shared_server: ValkeyServer, redis_client: Client, start: Callable[..., PythonProcess]
) -> None:
    push(redis_client, *(str(number) for number in range(300)))
    ended, sweeps = threading.Event(), list[Swept]()
    # The reap of a list without a heartbeat does not wait; a machine that is short of breath may.
    patient = replace(POLICY, stale_after_seconds=10.0)

    def reap() -> None:
        with shared_server.client() as client:
            reaper = Reaper(client, Q, patient)
            while not ended.is_set():
                orphans = [name for name in held(client) if not client.hexists(Q.heartbeats, name)]
                sweeps.append(reaper.sweep(patient, orphans))

    thread = threading.Thread(target=reap)
    thread.start()
    try:
        with start(shared_server.url, policy={"stale_after_seconds": 10.0, "beat_seconds": 1.0}):
            wait_until(lambda: len(ran(redis_client)) == 300, 30, "all run")
            wait_until(lambda: held(redis_client) == {}, 5, "all are acknowledged")
    finally:
        ended.set()
        thread.join()
    assert sorted(ran(redis_client), key=int) == [str(number) for number in range(300)]
    assert len(sweeps) > 20
    assert [one for one in sweeps if one != Swept()] == []
    assert redis_client.hget(Q.stats, "reaped") is None


def test_S62_a_list_that_is_read_while_claims_are_in_flight_makes_nothing_run_twice(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    runs: Counter[object] = Counter()

    def handler(job: Job) -> None:
        runs[job.id] += 1

    with running(shared_server.url, handler) as slot:
        for number in range(1000):
            # Each time the beats seem to say that the list holds more than the hands: the loop reads it.
            slot.write_beat(time.monotonic() + 1000, 0, 7)
            redis_client.lpush(Q.pending, b'{"id":%d,"attempts":0}' % number)
            if number % 20 == 19:
                wait_until(lambda: sum(runs.values()) > number, 10, "they run", every_seconds=0.001)  # noqa: B023
        wait_until(lambda: not held(redis_client), 5, "all are acknowledged")
    assert runs == dict.fromkeys(range(1000), 1)
    assert not redis_client.exists(Q.pending, Q.delayed, Q.dead)


def test_S65_children_of_a_supervisor_killed_under_load_finish_and_nothing_runs_twice(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, *(str(number) for number in range(150)), sleep=0.05)
    with janitor(redis_url, "q"), supervisor(redis_url, processes=2, batch=5) as process:
        wait_until(lambda: len(ran(redis_client)) >= 10, 10, "they work")
        pids = [pid_of(name) for name in workers(redis_client)]
        process.kill()
        wait_until(lambda: all(state_of(pid) in ("", "Z") for pid in pids), 10, "the children are gone")
        assert (held(redis_client), workers(redis_client)) == ({}, set())
        with supervisor(redis_url, processes=2, batch=5):
            wait_until(lambda: len(ran(redis_client)) == 150, 30, "the rest runs")
            wait_until(lambda: not held(redis_client), 5, "all is acknowledged")
    assert sorted(ran(redis_client), key=int) == [str(number) for number in range(150)]
    assert redis_client.llen("began") == 150
    assert redis_client.hget(Q.stats, "reaped") is None
