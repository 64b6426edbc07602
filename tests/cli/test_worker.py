"""`watchkeeper worker`: runs a queue's jobs in processes of its own and leaves in order."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from typing import Any

import pytest
import redis

from tests.cli.jobs_in_redis import job
from tests.support.processes import PythonProcess, wait_until


def worker(redis_url: str, *arguments: str) -> PythonProcess:
    """A running `watchkeeper worker`."""
    return PythonProcess("-m", "dashboard.cli", "worker", *arguments, env={"REDIS_URL": redis_url})


@pytest.fixture
def done(redis_client: redis.Redis) -> Callable[..., set[str]]:
    """A function that reads a set of the server as texts."""

    def read(key: str = "done") -> set[str]:
        found: Any = redis_client.smembers(key)
        return {member.decode() for member in found}

    return read


@pytest.mark.parametrize("options", [(), ("--processes", "2", "--batch", "10")])
def test_jobs_are_run_and_sigterm_ends_it_with_nothing_left(
    redis_client: redis.Redis, redis_url: str, done: Any, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", *(job(f"j{number}") for number in range(50)))

    with worker(redis_url, "mail", "tests.cli.sample_handlers:note", *options) as process:
        wait_until(lambda: len(done()) == 50, 20, "all jobs are done")
        wait_until(lambda: not list(redis_client.scan_iter("mail:processing:*")), 5, "all are acknowledged")
        process.signal(signal.SIGTERM)
        code = process.wait(10)

    assert code == 0, process.output()
    assert done() == {f"j{number}" for number in range(50)}
    assert redis_client.exists("mail:pending", "mail:delayed", "mail:dead", "mail:heartbeats") == 0


def test_a_running_job_gets_its_grace(redis_client: redis.Redis, redis_url: str, done: Any) -> None:
    redis_client.lpush("mail:pending", job("a"))

    with worker(redis_url, "mail", "tests.cli.sample_handlers:take_long", "--grace", "10") as process:
        wait_until(lambda: done("begun") == {"a"}, 20, "the job began")
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0

    assert done() == {"a"}
    assert redis_client.exists("mail:pending") == 0


def test_a_handler_that_raises_makes_a_delayed_job_with_its_error(
    redis_client: redis.Redis, redis_url: str
) -> None:
    redis_client.lpush("mail:pending", job("a"))

    with worker(redis_url, "mail", "tests.cli.sample_handlers:raise_always"):
        wait_until(lambda: redis_client.zcard("mail:delayed"), 20, "the job is delayed")

    found: Any = redis_client.zrange("mail:delayed", 0, -1)
    told = json.loads(found[0])
    assert told["error"] == "ConnectionError: job a: the other side hung up"
    assert told["attempts"] == 1


def test_the_name_of_the_command_line_is_the_one_that_beats(
    redis_client: redis.Redis, redis_url: str
) -> None:
    with worker(redis_url, "mail", "tests.cli.sample_handlers:note", "--name", "box-7") as process:
        wait_until(lambda: redis_client.hexists("mail:heartbeats", "box-7"), 20, "box-7 beats")
        process.signal(signal.SIGINT)
        assert process.wait(10) == 0

    assert redis_client.exists("mail:heartbeats") == 0


def test_further_queues_are_served_by_weight_and_names_may_hold_any_bytes(
    redis_client: redis.Redis, redis_url: str, done: Any
) -> None:
    redis_client.lpush("mail:pending", *(job(f"m{number}") for number in range(20)))
    redis_client.lpush(b"b\xff\xfe *:pending", *(job(f"b{number}") for number in range(20)))

    options = ("--then", "b\udcff\udcfe *", "--weights", "3,1")
    with worker(redis_url, "mail", "tests.cli.sample_handlers:note", *options) as process:
        wait_until(lambda: len(done()) == 40, 20, "the jobs of both are done")
        beating = [redis_client.hkeys(key) for key in ("mail:heartbeats", b"b\xff\xfe *:heartbeats")]
        assert beating[0] == beating[1] != []
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0, process.output()

    assert redis_client.exists("mail:pending", b"b\xff\xfe *:pending") == 0
    assert redis_client.exists("mail:heartbeats", b"b\xff\xfe *:heartbeats") == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--then", "bulk", "--then", "mail"), "The queue mail is named twice"),
        (("--then", "bulk", "--weights", "6,3,1"), "The number of weights, 3, is not that of the queues, 2"),
        (("--then", "bulk", "--weights", "6,"), "'6,' is not a list of whole numbers such as 6,3,1"),
        (("--then", "bulk", "--weights", "6,0"), "A weight is a whole number from 1 to 1000; 0 is none"),
        (
            (
                "--then",
                "bulk:dead",
            ),
            "has a segment that is a key suffix of queues",
        ),
    ],
)
def test_queues_and_weights_that_do_not_fit_together_are_refused_before_anything_is_touched(
    redis_client: redis.Redis, redis_url: str, options: tuple[str, ...], sentence: str
) -> None:
    redis_client.lpush("mail:pending", job("a"))

    with worker(redis_url, "mail", "tests.cli.sample_handlers:note", *options) as process:
        assert process.wait(20) == 2
        assert sentence in process.output()

    assert redis_client.keys() == [b"mail:pending"]
    assert redis_client.llen("mail:pending") == 1
