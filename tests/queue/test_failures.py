"""What becomes of jobs that fail and of bytes that are no jobs."""

from __future__ import annotations

import json

import pytest

from dashboard.queue.job import Job
from tests.queue.loops import Log, W, running
from tests.queue.running import POLICY, Client, Q, attempts, held, ids, push
from tests.support.processes import wait_until


def test_a_failed_job_is_delayed_with_its_error_and_one_attempt_more(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.lpush(Q.pending, b'{"id":"a", "extra":[1,2],"payload":null,"attempts":1}')
    with running(redis_url, Log("a")):
        wait_until(lambda: redis_client.zcard(Q.delayed), 5, "it is delayed")
    ((raw, due),) = redis_client.zrange(Q.delayed, 0, -1, withscores=True)
    job = json.loads(raw)
    seconds, _ = redis_client.time()
    assert 2 <= due - seconds <= 6.1, "the second failure waits four seconds and a little"
    assert raw.endswith(b'"id":"a", "extra":[1,2],"payload":null,"attempts":2}')
    assert job["error"] == "ValueError: this one fails"
    assert job["worker"] == "w1"
    assert job["failed_at"] > 0
    assert job["traceback"].endswith("ValueError: this one fails\n")
    assert "job_loop.py" not in job["traceback"]
    assert held(redis_client) == {}


def test_a_job_with_as_many_attempts_as_are_allowed_runs_once_more(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.lpush(Q.pending, b'{"id":"a","attempts":2}')
    with running(redis_url, Log("a")):
        wait_until(lambda: redis_client.zcard(Q.delayed), 5, "it is delayed")
    assert attempts(redis_client.zrange(Q.delayed, 0, -1)) == [POLICY.max_attempts] == [3]
    assert not redis_client.exists(Q.dead, Q.pending)


def test_the_last_attempt_ends_in_dead_and_an_older_error_is_replaced(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.lpush(Q.pending, b'{"error":"old","id":"a","attempts":3}')
    with running(redis_url, Log("a")):
        wait_until(lambda: redis_client.llen(Q.dead), 5, "it is dead")
    (raw,) = redis_client.lrange(Q.dead, 0, -1)
    assert raw.endswith(b'"id":"a","attempts":4}')
    assert raw.count(b'"error"') == 1
    assert json.loads(raw)["error"] == "ValueError: this one fails"
    assert not redis_client.exists(Q.delayed, Q.pending)


def test_a_handler_that_wants_to_leave_the_process_fails_its_job_only(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", "b")
    seen: list[object] = []

    def handler(job: Job) -> None:
        if job.id == "a":
            raise SystemExit(3)
        seen.append(job.id)

    with running(redis_url, handler):
        wait_until(lambda: seen == ["b"], 5, "the next job runs")
    (raw,) = redis_client.zrange(Q.delayed, 0, -1)
    assert json.loads(raw)["error"] == "SystemExit: 3"


@pytest.mark.parametrize("batch", [1, 10])
def test_S29_unreadable_bytes_arrive_unchanged_in_dead_and_the_good_ones_run(
    redis_url: str, redis_client: Client, batch: int
) -> None:
    bad = [b"not json", b"[]", b"\xff\x00", b'{"attempts":"x"}', b"", b"null", b"[" * 5000 + b"]" * 5000]
    for raw in bad:
        push(redis_client, f"before {len(raw)}")
        redis_client.lpush(Q.pending, raw)
    redis_client.lpush(Q.pending, b"{}")
    log = Log()
    with running(redis_url, log, batch=batch):
        wait_until(lambda: len(log.jobs) == len(bad) + 1, 5, "the good ones run")
        wait_until(lambda: redis_client.llen(Q.dead) == len(bad), 5, "the bad ones are dead")
    assert redis_client.lrange(Q.dead, 0, -1) == bad[::-1]
    assert log.ids[-1] is None
    assert not redis_client.exists(Q.pending, Q.processing(W), Q.delayed)


def test_S66_two_equal_jobs_that_fail_are_both_delayed(redis_url: str, redis_client: Client) -> None:
    raw = b'{"id":"a","payload":null,"attempts":0}'
    redis_client.lpush(Q.pending, raw, raw)

    def handler(_: Job) -> None:
        raise ValueError

    with running(redis_url, handler, batch=2):
        wait_until(lambda: redis_client.zcard(Q.delayed) == 2, 5, "both are delayed")
    members = redis_client.zrange(Q.delayed, 0, -1)
    assert ids(members) == ["a", "a"]
    assert attempts(members) == [1, 1]
    assert not redis_client.exists(Q.pending, Q.processing(W), Q.dead)
