"""A lone worker is killed or frozen: the janitor gives its job to another."""

from __future__ import annotations

import signal
import time

from tests.queue.running import (
    POLICY,
    Client,
    Q,
    attempts,
    held,
    janitor,
    pending,
    push,
    ran,
    wait_for_holder,
    worker,
    workers,
)
from tests.support.keyspace import snapshot
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

SCAN_SECONDS = 1.2


def test_S10_the_job_of_a_killed_lone_worker_is_back_within_the_threshold_and_two_scans(
    each_server: ValkeyServer, each_client: Client
) -> None:
    push(each_client, "a", sleep=60)
    with janitor(each_server.url, "q"), worker(each_server.url) as lone:
        name = wait_for_holder(each_client, "a")
        wait_until(lambda: each_client.hexists(Q.watch, name), 5, "the janitor watches it")
        lone.kill()
        last_beat = int(each_client.hget(Q.heartbeats, name))
        wait_until(lambda: pending(each_client), 10, "the job is back")
        seconds, microseconds = each_client.time()
        # The beat's value is cut to whole seconds, hence one more.
        assert seconds + microseconds / 1e6 - last_beat <= POLICY.stale_after_seconds + 2 * SCAN_SECONDS + 1
    assert attempts(pending(each_client)) == [1]
    assert held(each_client) == {}
    assert workers(each_client) == set()
    assert snapshot(each_client, Q)["workers"][b"t:" + name]["state"] == "reaped"


def test_S11_a_frozen_worker_whose_job_was_given_away_goes_on_safely_when_it_wakes(
    each_server: ValkeyServer, each_client: Client
) -> None:
    push(each_client, "a", sleep=0.5)
    with janitor(each_server.url, "q"), worker(each_server.url, name="w1") as lone:
        wait_for_holder(each_client, "a")
        lone.freeze()
        frozen_at = time.monotonic()
        wait_until(lambda: pending(each_client), 12, "its job is given back")
        assert time.monotonic() - frozen_at > POLICY.stale_after_seconds - 1.5
        with worker(each_server.url, name="w2") as other:
            wait_until(lambda: ran(each_client) == ["a"], 10, "another runs it")
            other.signal(signal.SIGTERM)
            assert other.wait(5) == 0
        lone.thaw()
        push(each_client, "b")
        wait_until(lambda: "b" in ran(each_client), 10, "the thawed worker goes on")
        wait_until(lambda: held(each_client) == {}, 5, "nothing is held")
        assert workers(each_client) == {b"w1"}
    assert ran(each_client) in (["a", "a", "b"], ["a", "b"]), "a second run of the job that was given away"
    assert not each_client.exists(Q.pending, Q.delayed, Q.dead)
