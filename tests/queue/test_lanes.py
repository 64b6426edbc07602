"""One loop over several queues: order, shares, latency, and what is idle."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from dashboard.queue.job import Job
from tests.queue.lanes import Stream, beat, is_empty, running_lanes
from tests.queue.loops import Log, W, running
from tests.queue.running import Client, Q, attempts, held, ids, push
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

THREE = ("high", "middle", "low")


def test_jobs_of_a_higher_queue_run_first_and_each_is_acknowledged_where_it_came_from(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "l1", "l2", queue="low")
    push(redis_client, "h1", "h2", queue="high")
    push(redis_client, "m1", queue="middle")
    log = Log()
    with running_lanes(redis_url, log, queues=THREE):
        wait_until(lambda: len(log.jobs) == 5 and is_empty(redis_client, *THREE), 10, "all are done")
    assert log.ids == ["h1", "h2", "m1", "l1", "l2"]
    assert [job.queue for job in log.jobs] == [b"high", b"high", b"middle", b"low", b"low"]
    assert [redis_client.hget(f"{name}:stats", "acked") for name in THREE] == [b"2", b"1", b"2"]


def test_S37_under_an_endless_high_stream_lower_queues_get_their_shares_by_weight(
    each_server: ValkeyServer, each_client: Client
) -> None:
    stream = Stream(each_client, *THREE)
    with running_lanes(each_server.url, stream, queues=THREE, weights=[6, 3, 1]):
        wait_until(lambda: len(stream.ran) >= 1000, 60, "a thousand jobs run")
        stream.is_open = False
    counts = Counter(stream.ran[:1000])
    assert (counts["high"], counts["middle"], counts["low"]) == (600, 300, 100)
    for start in range(0, 990, 10):
        assert "low" in stream.ran[start : start + 20], "the lowest never waits for more than twenty jobs"


@pytest.mark.parametrize("batch", [1, 10])
def test_S37_a_low_job_moves_at_its_weight_also_when_its_queue_was_empty_for_long(
    each_server: ValkeyServer, each_client: Client, batch: int
) -> None:
    stream = Stream(each_client, "high", seconds=0.001)
    with running_lanes(each_server.url, stream, weights=[9, 1], batch=batch):
        wait_until(lambda: len(stream.ran) >= 200, 60, "the high queue keeps it busy")
        pushed_at = len(stream.ran)
        push(each_client, *(f"low-{n}" for n in range(5)), queue="low")
        wait_until(lambda: stream.ran.count("low") == 5, 60, "all low jobs run")
        waited = stream.ran[pushed_at:].index("low")
        stream.is_open = False
    # One in ten is its share; a batch is claimed at once, and high jobs run while the test pushes.
    assert waited <= 10 * batch + 50
    assert len(stream.ran[pushed_at:]) - 5 <= 10 * (5 + 2 * batch) + 100


def test_without_weights_a_low_job_waits_for_as_long_as_a_high_one_does(
    redis_url: str, redis_client: Client
) -> None:
    stream = Stream(redis_client, "high")
    push(redis_client, "l", queue="low")
    with running_lanes(redis_url, stream):
        wait_until(lambda: len(stream.ran) >= 300, 30, "many high jobs run")
        assert "low" not in stream.ran
        assert ids(redis_client.lrange("low:pending", 0, -1)) == ["l"]
        stream.is_open = False
        wait_until(lambda: "low" in stream.ran, 30, "it runs when the high ones are done")


@pytest.mark.parametrize("weights", [None, [6, 1]])
@pytest.mark.parametrize("batch", [1, 100])
def test_a_high_job_waits_for_about_one_job_of_a_flood_of_slow_low_ones(
    redis_url: str, redis_client: Client, weights: list[int] | None, batch: int
) -> None:
    stream = Stream(redis_client, "low", seconds=0.1)
    with running_lanes(redis_url, stream, weights=weights, batch=batch):
        for number in range(5):
            before = len(stream.ran)
            wait_until(lambda before=before: len(stream.ran) > before + 4, 20, "low jobs run")  # type: ignore[misc]
            pushed_at = len(stream.ran)
            push(redis_client, f"h{number}", queue="high")
            wait_until(lambda n=number: stream.ran.count("high") == n + 1, 20, "it runs")  # type: ignore[misc]
            waited = stream.ran[pushed_at:].index("high")
            # Two jobs of a tenth of a second make a turn, and one more may have begun before the push.
            assert waited <= (1 if batch == 1 else 3), "low jobs that went before it"
        stream.is_open = False


def test_a_job_of_any_queue_is_found_at_once_when_all_were_idle(redis_url: str, redis_client: Client) -> None:
    log = Log()
    with running_lanes(redis_url, log, queues=THREE) as slots:
        wait_until(lambda: slots["high"].client_id, 5, "the loop has begun")
        for count, name in enumerate(("low", "middle", "high", "low"), start=1):
            push(redis_client, f"{count}", queue=name)
            pushed_at = time.monotonic()
            wait_until(lambda count=count: len(log.jobs) == count, 5, "it runs", every_seconds=0.005)  # type: ignore[misc]
            assert time.monotonic() - pushed_at < 1.5, "a quarter of a second, and room for a slow machine"


def test_a_failed_job_goes_to_the_delayed_jobs_of_its_own_queue(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", queue="low")
    redis_client.lpush("high:pending", b"not a job")
    with running_lanes(redis_url, Log("a")):
        wait_until(
            lambda: redis_client.zcard("low:delayed") and redis_client.llen("high:dead"), 5, "both fail"
        )
        wait_until(lambda: is_empty(redis_client, "high", "low"), 5, "nothing is held")
    assert ids(redis_client.zrange("low:delayed", 0, -1)) == ["a"]
    assert redis_client.lrange("high:dead", 0, -1) == [b"not a job"]
    assert not redis_client.exists("low:dead", "high:delayed")


def test_a_loop_that_is_stopped_in_a_batch_gives_the_rest_back_to_its_own_queue(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "l1", queue="low")
    began, leave = threading.Event(), threading.Event()

    def handler(job: Job) -> None:
        if job.id == "l2":
            push(redis_client, "h", queue="high")
            began.set()
            leave.wait(10)

    with running_lanes(redis_url, handler, batch=3):
        wait_until(lambda: redis_client.hget("low:stats", "acked"), 10, "the lane knows that jobs are quick")
        redis_client.eval(
            "for n = 2, 4 do redis.call('LPUSH', KEYS[1], '{\"id\":\"l' .. n .. '\",\"attempts\":0}') end",
            1, "low:pending",
        )  # fmt: skip
        assert began.wait(10)
        assert ids(held(redis_client, "low")[W]) in (["l4", "l3", "l2"], ["l2"])
        threading.Timer(0.3, leave.set).start()
    waiting = redis_client.lrange("low:pending", 0, -1)
    assert (ids(waiting), attempts(waiting)) == (["l4", "l3"], [0, 0])
    assert ids(redis_client.lrange("high:pending", 0, -1)) == ["h"]
    assert held(redis_client, "high") == held(redis_client, "low") == {}
    assert redis_client.hget("low:stats", "acked") == b"2"


def test_a_job_delivered_late_into_the_list_of_a_starving_queue_is_not_left_there(
    redis_url: str, redis_client: Client
) -> None:
    stream = Stream(redis_client, "high")
    push(redis_client, "waits", queue="low")
    with running_lanes(redis_url, stream) as slots:
        wait_until(lambda: len(stream.ran) > 20, 10, "high jobs run")
        assert "low" not in stream.ran
        redis_client.lpush(b"low:processing:" + W, b'{"id":"stray","attempts":0}')
        beat(slots["low"], listed_count=1)
        wait_until(lambda: "low" in stream.ran, 10, "the stray runs, the one that waits does not")
        wait_until(lambda: held(redis_client, "low") == {}, 10, "it is acknowledged")
        assert ids(redis_client.lrange("low:pending", 0, -1)) == ["waits"]
        stream.is_open = False


def test_one_queue_costs_one_round_trip_a_batch(redis_url: str, redis_client: Client) -> None:
    push(redis_client, *(str(n) for n in range(100)))
    log = Log()
    redis_client.config_resetstat()
    with running(redis_url, log):
        wait_until(lambda: len(log.jobs) == 100, 20, "all run")
        calls = redis_client.info("commandstats")["cmdstat_evalsha"]["calls"]
    # One settle for each job, one before the first, and perhaps one that came too soon or too late to count.
    assert 99 <= calls <= 103
    assert not redis_client.exists(Q.dead, Q.delayed)


def test_several_idle_queues_are_looked_at_without_a_write(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "l", queue="low")
    log = Log()
    with running_lanes(redis_url, log, queues=THREE):
        wait_until(lambda: redis_client.hget("low:stats", "acked"), 10, "a job has run")
        wait_until(lambda: redis_client.info("clients")["blocked_clients"], 10, "all are idle")
        before = redis_client.info("commandstats")
        looks = before["cmdstat_llen"]["calls"]
        wait_until(
            lambda: redis_client.info("commandstats")["cmdstat_llen"]["calls"] >= looks + 9, 10, "it looks"
        )
        after = redis_client.info("commandstats")
    assert after["cmdstat_evalsha"]["calls"] - before["cmdstat_evalsha"]["calls"] <= 1, (
        "the last acknowledgement"
    )
