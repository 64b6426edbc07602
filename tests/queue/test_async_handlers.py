"""Async handlers in real workers: one event loop a process, failures as failures, an orderly end."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest

from tests.queue.running import Client, Q, attempts, held, ids, pending, push, ran, supervisor, worker
from tests.support.processes import PythonProcess, wait_until

FORMS = ["function", "partial", "instance", "method", "returns_awaitable", "decorated"]


@pytest.mark.parametrize("form", FORMS)
def test_async_handlers_of_every_form_run_in_one_loop_for_the_life_of_their_process(
    redis_url: str, redis_client: Client, form: str
) -> None:
    push(redis_client, *"abcd", sleep=0.01)
    with supervisor(redis_url, handler=f"tests.queue.async_handlers:{form}") as process:
        wait_until(lambda: ran(redis_client) == list("abcd"), 20, "all run in order")
        wait_until(lambda: held(redis_client) == {}, 10, "all are acknowledged")
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert len(set(redis_client.lrange("loops", 0, -1))) == 1
    assert redis_client.exists(Q.pending, Q.delayed, Q.dead) == 0


@pytest.mark.parametrize(
    ("order", "says"),
    [("cancel", "CancelledError"), ("exit", "SystemExit: 3"), ("group", "ExceptionGroup: unhandled errors")],
)
@pytest.mark.parametrize("start", [supervisor, worker])
def test_a_cancelled_or_failed_coroutine_is_a_failed_run_and_the_loop_goes_on(
    redis_url: str, redis_client: Client, start: Callable[..., PythonProcess], order: str, says: str
) -> None:
    push(redis_client, "before")
    redis_client.lpush(Q.pending, json.dumps({"id": "bad", "payload": {order: True}, "attempts": 0}))
    push(redis_client, "after")
    with start(redis_url, handler="tests.queue.async_handlers:function"):
        wait_until(lambda: ran(redis_client) == ["before", "after"], 20, "the others run")
        wait_until(lambda: held(redis_client) == {}, 10, "nothing is held")
    (raw,) = redis_client.zrange(Q.delayed, 0, -1)
    assert (ids([raw]), attempts([raw])) == (["bad"], [1])
    assert says in json.loads(raw)["error"]
    assert len(set(redis_client.lrange("loops", 0, -1))) == 1


def test_a_task_that_a_handler_left_behind_holds_up_neither_jobs_nor_the_end(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", leave=True)
    push(redis_client, "b")
    with supervisor(redis_url, handler="tests.queue.async_handlers:function") as process:
        wait_until(lambda: ran(redis_client) == ["a", "b"], 20, "both run")
        assert redis_client.exists("ended") == 0
        process.signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert redis_client.llen("ended") == 1
    assert redis_client.exists(Q.pending, Q.delayed, Q.dead) == 0


def test_S30_a_coroutine_is_finished_within_the_grace_and_ended_after_it(
    redis_url: str, redis_client: Client
) -> None:
    handler = "tests.queue.async_handlers:function"
    push(redis_client, "short", sleep=1)
    with supervisor(redis_url, handler=handler, grace_seconds=30) as process:
        wait_until(lambda: redis_client.lrange("began", 0, -1) == [b"short"], 20, "it runs")
        process.signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert ran(redis_client) == ["short"]
    push(redis_client, "long", sleep=60)
    with supervisor(redis_url, handler=handler, grace_seconds=0.5) as process:
        wait_until(lambda: redis_client.lindex("began", -1) == b"long", 20, "it runs")
        process.signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert ran(redis_client) == ["short"]
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["long"], [0])
    assert held(redis_client) == {}
