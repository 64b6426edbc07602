"""The loop in a thread: order, batches, suspects, the fence, the pause."""

from __future__ import annotations

import threading
import time

import pytest

from dashboard.queue.job import Job
from tests.queue.loops import Log, W, running
from tests.queue.running import POLICY, Client, Q, attempts, held, ids, pending, push
from tests.support.processes import wait_until


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_jobs_run_in_order_and_are_acknowledged(redis_url: str, redis_client: Client, batch: int) -> None:
    names = [str(n) for n in range(10)]
    push(redis_client, *names)
    log = Log()
    with running(redis_url, log, batch=batch):
        wait_until(lambda: redis_client.hget(Q.stats, "acked") == b"10", 5, "all are acknowledged")
    assert log.ids == names
    assert not redis_client.exists(Q.pending, Q.processing(W), Q.delayed, Q.dead)


def test_a_job_arrives_as_json_reads_it_whole_numbers_and_floats_exact(
    redis_url: str, redis_client: Client
) -> None:
    raw = b'{"id":12345678901234567890,"payload":{"a":[],"f":0.1234567890123456,"z":1.0},"x":1,"attempts":0}'
    redis_client.lpush(Q.pending, raw)
    log = Log()
    with running(redis_url, log):
        wait_until(lambda: log.jobs, 5, "it runs")
    (job,) = log.jobs
    assert job.raw == raw
    assert job.id == 12345678901234567890
    assert repr(job.payload) == "{'a': [], 'f': 0.1234567890123456, 'z': 1.0}"
    assert job.members["x"] == 1


def test_a_suspect_at_the_front_runs_alone(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "suspect", attempts=1)
    push(redis_client, "b", "c")
    seen: dict[object, list[str]] = {}

    def handler(job: Job) -> None:
        seen[job.id] = ids(held(redis_client)[W])

    with running(redis_url, handler, batch=10):
        wait_until(lambda: len(seen) == 3, 5, "all run")
    assert seen["suspect"] == ["suspect"]
    assert list(seen) == ["suspect", "b", "c"]


def test_suspects_leave_the_batch_before_a_clean_job_starts(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a")
    push(redis_client, "s1", attempts=1)
    push(redis_client, "b")
    push(redis_client, "s2", attempts=2)
    seen: dict[object, list[str]] = {}

    def handler(job: Job) -> None:
        seen[job.id] = ids(held(redis_client)[W])

    with running(redis_url, handler, batch=10):
        wait_until(lambda: len(seen) == 4, 5, "all run")
    assert set(seen["a"]) == {"a", "b"}
    assert (seen["s1"], seen["s2"]) == (["s1"], ["s2"])


def test_finished_jobs_of_a_slow_batch_are_acknowledged_before_its_end(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, *"abcd")
    left: list[int] = []

    def handler(_: Job) -> None:
        left.append(len(held(redis_client)[W]))
        time.sleep(0.3)

    with running(redis_url, handler, batch=4):
        wait_until(lambda: len(left) == 4, 5, "all run")
    assert left == [4, 3, 2, 1]


def test_a_loop_that_is_stopped_in_a_batch_gives_the_rest_back_in_order(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, *"abcd")
    entered, leave = threading.Event(), threading.Event()

    def handler(_: Job) -> None:
        entered.set()
        leave.wait(10)

    with running(redis_url, handler, batch=3):
        entered.wait(5)
        threading.Timer(0.2, leave.set).start()
    assert ids(pending(redis_client)) == ["b", "c", "d"]
    assert attempts(pending(redis_client)) == [0, 0, 0]
    assert held(redis_client) == {}


def test_without_a_recent_beat_nothing_is_claimed(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a")
    log = Log()
    with running(redis_url, log, beaten=False) as slot:
        wait_until(lambda: slot.pulse_at, 5, "the loop has begun")
        began = slot.pulse_at
        wait_until(lambda: slot.pulse_at > began + 0.5, 5, "it goes round in vain")
        slot.write_beat(time.monotonic() - 0.8 * POLICY.stale_after_seconds, time.time(), 0)
        began = slot.pulse_at
        wait_until(lambda: slot.pulse_at > began + 0.5, 5, "a beat of long ago does not count")
        assert (log.jobs, ids(pending(redis_client)), held(redis_client)) == ([], ["a"], {})
        slot.write_beat(time.monotonic(), time.time(), 0)
        wait_until(lambda: log.jobs, 5, "a beat lets it claim")


def test_a_paused_queue_is_not_claimed_from_until_it_is_resumed(redis_url: str, redis_client: Client) -> None:
    redis_client.hset(Q.policy, "paused", "1")
    push(redis_client, "a")
    log = Log()
    with running(redis_url, log) as slot:
        wait_until(lambda: slot.pulse_at, 5, "the loop has begun")
        began = slot.pulse_at
        wait_until(lambda: slot.pulse_at > began + 1, 5, "it looks again")
        assert (log.jobs, ids(pending(redis_client))) == ([], ["a"])
        redis_client.hset(Q.policy, "paused", "0")
        wait_until(lambda: log.jobs, 5, "it runs")


def test_a_job_delivered_late_into_an_idle_workers_list_is_found_by_the_beats_count(
    redis_url: str, redis_client: Client
) -> None:
    log = Log()
    with running(redis_url, log) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        redis_client.lpush(Q.processing(W), b'{"id":"stray","attempts":0}')
        slot.write_beat(time.monotonic() + 1000, time.time(), 1)
        wait_until(lambda: log.ids == ["stray"], 5, "it runs")
        wait_until(lambda: held(redis_client) == {}, 5, "it is acknowledged")


def test_a_pending_key_of_another_type_is_survived(redis_url: str, redis_client: Client) -> None:
    redis_client.set(Q.pending, "mine")
    log = Log()
    with running(redis_url, log) as slot:
        wait_until(lambda: slot.client_id, 5, "the loop has begun")
        began = slot.pulse_at
        wait_until(lambda: slot.pulse_at > began + 0.5, 5, "it goes on")
        assert redis_client.get(Q.pending) == b"mine"
        redis_client.delete(Q.pending)
        push(redis_client, "a")
        wait_until(lambda: log.ids == ["a"], 10, "it works again")


def test_jobs_of_a_batch_do_not_start_without_a_recent_beat_and_those_given_away_not_at_all(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, *"abc")
    began: list[object] = []

    def handler(job: Job) -> None:
        began.append(job.id)
        if job.id == "a":
            time.sleep(0.5)

    with running(redis_url, handler, batch=3, beaten=False) as slot:
        wait_until(lambda: slot.pulse_at, 5, "the loop has begun")
        slot.write_beat(time.monotonic() - 0.7 * POLICY.stale_after_seconds, time.time(), 0)
        wait_until(lambda: slot.has_finished_one, 5, "the first has run")
        finished_at = slot.pulse_at
        wait_until(lambda: slot.pulse_at > finished_at + 0.3, 5, "the loop waits for a beat")
        assert began == ["a"]
        redis_client.eval(
            "redis.call('LREM', KEYS[1], 1, ARGV[1])", 1, Q.processing(W), held(redis_client)[W][1]
        )
        slot.write_beat(time.monotonic() + 1000, time.time(), 0)
        wait_until(lambda: began == ["a", "c"], 5, "what is still held runs")
        wait_until(lambda: held(redis_client) == {}, 5, "it is acknowledged")
