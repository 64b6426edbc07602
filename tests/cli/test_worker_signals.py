"""`watchkeeper worker`: its time limit, its quiet, and the ways in which signals end it."""

from __future__ import annotations

import json
import signal
import time
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import ids, job
from tests.cli.test_worker import worker
from tests.support.processes import wait_until

Client = Any
NAMED = ("--name", "box-7")
LONG = "tests.cli.sample_handlers:take_very_long"


def begun(client: Client) -> set[bytes]:
    found: set[bytes] = client.smembers("begun")
    return found


def is_at_rest(client: Client) -> bool:
    """Nobody holds a job, beats, or has left anything but pending jobs."""
    return not client.exists("mail:heartbeats", "mail:delayed", "mail:dead") and not list(
        client.scan_iter("mail:processing:*")
    )


@pytest.mark.parametrize("options", [(), NAMED])
def test_a_job_over_the_time_limit_is_delayed_with_its_error(
    redis_client: Client, redis_url: str, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", job("a"))

    with worker(redis_url, "mail", LONG, "--time-limit", "0.5", *options):
        wait_until(lambda: redis_client.zcard("mail:delayed"), 20, "the job is delayed")

    (raw,) = redis_client.zrange("mail:delayed", 0, -1)
    told = json.loads(raw)
    assert told["error"] == "TimeLimitExceeded: the job was over its time limit of 0.5 s"
    assert told["attempts"] == 1


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "0.01", "1e9", "soon"])
def test_a_time_limit_that_is_none_is_exit_code_2(cli: Run, redis_client: Client, limit: str) -> None:
    ran = cli("worker", "mail", "time:sleep", "--time-limit", limit)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert redis_client.dbsize() == 0


@pytest.mark.parametrize("options", [(), NAMED])
def test_sigusr1_makes_it_quiet_and_sigterm_ends_it(
    redis_client: Client, redis_url: str, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", job("a"))

    with worker(redis_url, "mail", "tests.cli.sample_handlers:take_long", *options) as process:
        wait_until(lambda: begun(redis_client) == {b"a"}, 20, "the job began")
        process.signal(signal.SIGUSR1)
        redis_client.lpush("mail:pending", job("b"))
        wait_until(lambda: redis_client.smembers("done") == {b"a"}, 20, "it finishes its job")
        wait_until(lambda: not list(redis_client.scan_iter("mail:processing:*")), 5, "and acknowledges it")
        ends_at = time.monotonic() + 1.5
        wait_until(lambda: time.monotonic() > ends_at, 5, "it would have claimed the other")
        assert redis_client.hlen("mail:heartbeats") == 1
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0, process.output()

    assert ids(redis_client, "mail:pending") == ["b"]
    assert is_at_rest(redis_client)


@pytest.mark.parametrize("options", [(), NAMED])
def test_S30_a_job_past_the_grace_is_given_back_by_a_named_worker_too(
    redis_client: Client, redis_url: str, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", job("a"), job("b"))

    with worker(redis_url, "mail", LONG, "--grace", "1", "--batch", "2", *options) as process:
        wait_until(lambda: begun(redis_client) == {b"a"}, 20, "the job began")
        asked_at = time.monotonic()
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0, process.output()
        assert 1 <= time.monotonic() - asked_at < 8

    raws = redis_client.lrange("mail:pending", 0, -1)[::-1]
    assert raws == [job("a"), job("b")]
    assert is_at_rest(redis_client)


@pytest.mark.parametrize("options", [(), NAMED])
def test_a_second_signal_ends_it_at_once_and_gives_the_job_back(
    redis_client: Client, redis_url: str, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", job("a"))

    with worker(redis_url, "mail", LONG, "--grace", "60", *options) as process:
        wait_until(lambda: begun(redis_client) == {b"a"}, 20, "the job began")
        process.signal(signal.SIGTERM)
        ends_at = time.monotonic() + 0.5
        wait_until(lambda: time.monotonic() > ends_at, 5, "the first has been heard")
        assert process.is_running()
        process.signal(signal.SIGTERM)
        assert process.wait(5) == 0, process.output()

    assert redis_client.lrange("mail:pending", 0, -1) == [job("a")]
    assert is_at_rest(redis_client)


@pytest.mark.parametrize("options", [(), NAMED])
def test_a_sigterm_to_what_a_handler_forked_gives_back_no_job_of_the_living(
    redis_client: Client, redis_url: str, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", job("a"))
    handler = "tests.cli.sample_handlers:terminate_a_fork"

    with worker(redis_url, "mail", handler, "--grace", "3", *options) as process:
        wait_until(lambda: redis_client.smembers("done") == {b"a -15"}, 30, "the fork ended, and the job")
        wait_until(lambda: not list(redis_client.scan_iter("mail:processing:*")), 5, "and is acknowledged")
        assert redis_client.hlen("mail:heartbeats") == 1
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0, process.output()

    assert redis_client.lrange("begun", 0, -1) == [b"a"]
    assert not redis_client.exists("mail:pending")
    assert is_at_rest(redis_client)
