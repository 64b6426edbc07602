"""What holds up one queue of a worker holds up no other: pauses, fences, wrong keys, lost replies."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.job import Job
from dashboard.queue.worker import Worker
from tests.queue.lanes import Stream, beat, is_empty, running_lanes
from tests.queue.loops import Log, W
from tests.queue.running import POLICY, Client, attempts, held, ids, push, workers
from tests.support.processes import wait_until
from tests.support.proxy import Proxy
from tests.support.server import ValkeyServer

THREE = ("high", "middle", "low")


@pytest.mark.parametrize("paused", THREE)
def test_the_pause_of_one_queue_leaves_the_others_running(
    redis_url: str, redis_client: Client, paused: str
) -> None:
    others = [name for name in THREE if name != paused]
    redis_client.hset(f"{paused}:policy", "paused", "1")
    push(redis_client, "waits", queue=paused)
    log = Log()
    with running_lanes(redis_url, log, queues=THREE):
        for number in range(3):
            for name in others:
                push(redis_client, f"{name}-{number}", queue=name)
            wait_until(lambda n=number: len(log.jobs) == 2 * (n + 1), 5, "jobs of the others run")  # type: ignore[misc]
        wait_until(lambda: is_empty(redis_client, *others), 5, "they are acknowledged")
        assert (ids(redis_client.lrange(f"{paused}:pending", 0, -1)), held(redis_client, paused)) == (
            ["waits"],
            {},
        )
        redis_client.hset(f"{paused}:policy", "paused", "0")
        wait_until(lambda: "waits" in log.ids, 5, "it runs when its queue is resumed")


@pytest.mark.parametrize("fenced", ["high", "low"])
def test_without_a_beat_in_one_queue_nothing_of_it_is_claimed_and_the_other_runs(
    redis_url: str, redis_client: Client, fenced: str
) -> None:
    other = "low" if fenced == "high" else "high"
    push(redis_client, "waits", queue=fenced)
    log = Log()
    with running_lanes(redis_url, log, beaten=[other]) as slots:
        for number in range(5):
            push(redis_client, str(number), queue=other)
            wait_until(lambda n=number: len(log.jobs) == n + 1, 5, "the other runs")  # type: ignore[misc]
        assert (ids(redis_client.lrange(f"{fenced}:pending", 0, -1)), held(redis_client, fenced)) == (
            ["waits"],
            {},
        )
        beat(slots[fenced])
        wait_until(lambda: "waits" in log.ids, 5, "a beat lets it claim")


def test_a_batch_behind_its_fence_waits_while_jobs_of_the_other_queue_run(
    redis_url: str, redis_client: Client
) -> None:
    began: list[object] = []

    def handler(job: Job) -> None:
        began.append(job.id)
        if job.id == "h2":
            time.sleep(0.5)

    with running_lanes(redis_url, handler, batch=3, beaten=["low"]) as slots:
        beat(slots["high"])
        push(redis_client, "h1", queue="high")
        wait_until(
            lambda: redis_client.hget("high:stats", "acked"), 5, "the lane knows that its jobs are quick"
        )
        # Enough for the claim and the first job, which outlasts it.
        redis_client.eval(
            "for n = 2, 4 do redis.call('LPUSH', KEYS[1], '{\"id\":\"h' .. n .. '\",\"attempts\":0}') end",
            1, "high:pending",
        )  # fmt: skip
        slots["high"].write_beat(time.monotonic() - 0.65 * POLICY.stale_after_seconds, time.time(), 0)
        wait_until(lambda: "h2" in began, 5, "the first of the batch runs")
        push(redis_client, "l1", "l2", queue="low")
        wait_until(lambda: {"l1", "l2"} <= set(began), 5, "jobs of the other queue run")
        assert "h4" not in began
        beat(slots["high"])
        wait_until(lambda: {"h3", "h4"} <= set(began), 5, "the rest runs after a beat")
        wait_until(lambda: is_empty(redis_client, "high", "low"), 5, "all are acknowledged")
    assert sorted(map(str, began)) == ["h1", "h2", "h3", "h4", "l1", "l2"]


@pytest.mark.parametrize("part", ["pending", "processing:w1", "policy", "workers", "stats"])
@pytest.mark.parametrize("broken", ["high", "low"])
def test_a_key_of_another_type_in_one_queue_does_not_stop_the_other(
    redis_url: str, redis_client: Client, broken: str, part: str
) -> None:
    other = "low" if broken == "high" else "high"
    redis_client.set(f"{broken}:{part}", "mine")
    log = Log()
    with running_lanes(redis_url, log):
        for number in range(20):
            push(redis_client, str(number), queue=other)
        wait_until(lambda: len(log.jobs) == 20 and is_empty(redis_client, other), 10, "the other runs")
        assert redis_client.get(f"{broken}:{part}") == b"mine"
        redis_client.delete(f"{broken}:{part}")
        push(redis_client, "late", queue=broken)
        wait_until(lambda: "late" in log.ids, 10, "it works when the key is gone")
        wait_until(lambda: is_empty(redis_client, broken), 10, "and acknowledges")


def test_a_failed_job_that_cannot_be_put_aside_stays_in_its_list_while_the_other_queue_runs(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.set("high:delayed", "mine")
    push(redis_client, "fails", queue="high")
    log = Log("fails")
    with running_lanes(redis_url, log):
        wait_until(lambda: log.jobs, 5, "it fails")
        for number in range(20):
            push(redis_client, str(number), queue="low")
        wait_until(lambda: len(log.jobs) == 21 and is_empty(redis_client, "low"), 10, "the other queue runs")
        assert ids(held(redis_client, "high")[W]) == ["fails"]
        redis_client.delete("high:delayed")
        wait_until(lambda: redis_client.zcard("high:delayed"), 10, "it is delayed when that can be")
        wait_until(lambda: is_empty(redis_client, "high"), 5, "nothing is held")
    assert attempts(redis_client.zrange("high:delayed", 0, -1)) == [1]
    assert log.ids.count("fails") == 1


def test_two_queues_in_trouble_recover_each_by_itself(redis_url: str, redis_client: Client) -> None:
    for name in ("high", "middle"):
        redis_client.set(f"{name}:processing:w1", "mine")
        push(redis_client, name, queue=name)
    stream = Stream(redis_client, "low", seconds=0.001)
    with running_lanes(redis_url, stream, queues=THREE):
        for name in ("high", "middle"):
            enough = len(stream.ran) + 50
            wait_until(lambda enough=enough: len(stream.ran) > enough, 20, "the third runs")  # type: ignore[misc]
            assert name not in stream.ran
            redis_client.delete(f"{name}:processing:w1")
            wait_until(lambda name=name: name in stream.ran, 10, "the one that was mended runs")  # type: ignore[misc]
        stream.is_open = False
        wait_until(lambda: is_empty(redis_client, *THREE), 20, "all are acknowledged")
    assert (stream.ran.count("high"), stream.ran.count("middle")) == (1, 1)


def test_a_stop_gives_up_on_the_queue_in_trouble_alone(redis_url: str, redis_client: Client) -> None:
    redis_client.set("high:delayed", "mine")
    push(redis_client, "fails", queue="high")
    log = Log("fails")
    one = Worker(Connections.from_url(redis_url), ["high", "low"], log, defaults=POLICY, grace_seconds=0.5)
    thread = threading.Thread(target=one.run)
    thread.start()
    wait_until(lambda: log.jobs, 5, "it fails")
    push(redis_client, "l", queue="low")
    wait_until(lambda: len(log.jobs) == 2, 5, "the other queue runs")
    one.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert (workers(redis_client, "high"), workers(redis_client, "low")) == ({one.name}, set())
    assert ids(held(redis_client, "high")[one.name]) == ["fails"]
    assert is_empty(redis_client, "low")


def test_a_claim_whose_reply_is_lost_in_one_queue_runs_its_jobs_once_and_holds_up_no_other(
    shared_server: ValkeyServer, redis_client: Client
) -> None:
    log = Log()
    with Proxy(shared_server.port) as proxy, running_lanes(proxy.url, log) as slots:
        wait_until(lambda: slots["low"].client_id, 5, "the loop has begun")
        proxy.lose_replies(to=b"low:processing:w1", count=5)
        push(redis_client, *(f"l{n}" for n in range(5)), queue="low")
        push(redis_client, *(f"h{n}" for n in range(20)), queue="high")
        wait_until(lambda: len(log.jobs) == 25, 20, "all run")
        wait_until(lambda: is_empty(redis_client, "high", "low"), 10, "all are acknowledged")
        assert proxy.lost_count == 5
    assert Counter(log.ids) == Counter([f"l{n}" for n in range(5)] + [f"h{n}" for n in range(20)])
