"""The guard for handlers whose effect should not repeat: what it skips, and what it runs."""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.queue import once as once_module
from dashboard.queue.errors import ServerAway, ServerRefused
from dashboard.queue.handler import Runner
from dashboard.queue.job import Job, decode
from dashboard.queue.once import Once, id_bytes, once
from tests.queue.running import Client, Q, janitor, pending, push, ran, supervisor
from tests.support.keyspace import snapshot
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer, free_port

RUNS: list[object] = []


def note(job: Job) -> None:
    RUNS.append(job.id)
    if job.payload == "raise":
        raise ValueError("it failed")


async def note_async(job: Job) -> None:
    note(job)


class Noted:
    """A handler that is an object, with attributes of names that the guard has too."""

    def __init__(self) -> None:
        self._seconds = self._handler = None

    async def __call__(self, job: Job) -> None:
        note(job)


def only_prepares(job: Job) -> Iterator[None]:
    note(job)
    yield


def job(job_id: object, payload: object = None) -> Job:
    return decode(json.dumps({"id": job_id, "payload": payload, "attempts": 0}).encode())


@pytest.fixture(autouse=True)
def no_runs() -> None:
    RUNS.clear()


@pytest.mark.parametrize(
    "handler",
    [note, note_async, functools.partial(note), functools.partial(note_async), Noted()],
    ids=["function", "async", "partial", "async partial", "object"],
)
def test_a_job_that_is_done_is_skipped_and_its_mark_says_by_whom_and_when(
    redis_url: str, redis_client: Client, handler: Any
) -> None:
    runner = Runner(Once(handler, redis_url, "q", seconds=600))
    runner.call(job("a"))
    state = snapshot(redis_client, Q)
    assert set(state) == {"once:a"}
    mark = json.loads(state["once:a"])
    assert mark["by"].endswith(f":{os.getpid()}")
    assert abs(mark["at"] - redis_client.time()[0]) < 60
    assert 590 < redis_client.ttl(Q.once(b"a")) <= 600
    runner.call(job("a"))
    runner.call(job("b"))
    runner.close()
    assert RUNS == ["a", "b"]
    assert snapshot(redis_client, Q)["once:a"] == state["once:a"]


def test_a_failed_run_leaves_no_mark_and_the_next_one_runs(redis_url: str, redis_client: Client) -> None:
    for handler in (note, note_async):
        runner = Runner(Once(handler, redis_url, "q"))
        with pytest.raises(ValueError, match="it failed"):
            runner.call(job("a", "raise"))
        assert snapshot(redis_client, Q) == {}
        runner.call(job("a"))
        redis_client.flushall()
        runner.close()
    assert RUNS == ["a", "a", "a", "a"]


def test_a_mark_that_has_expired_skips_nothing(redis_url: str, redis_client: Client) -> None:
    guarded = Once(note, redis_url, "q")
    guarded(job("a"))
    redis_client.pexpire(Q.once(b"a"), 0)
    guarded(job("a"))
    assert RUNS == ["a", "a"]


def test_a_job_without_an_id_runs_as_always_and_leaves_no_mark(redis_url: str, redis_client: Client) -> None:
    guarded = Once(note, redis_url, "q")
    guarded(job(None))
    guarded(decode(b"{}"))
    assert RUNS == [None, None]
    assert snapshot(redis_client, Q) == {}


def test_different_ids_never_share_a_mark(redis_url: str) -> None:
    ids = [1, 1.0, "1", "=1", "", True, False, 0, [1], {"a": 1}, '="=1"', "a:b", "a%3Ab", "x" * 999, "\ud800"]
    assert len({id_bytes(one) for one in ids}) == len(ids)
    guarded = Once(note, redis_url, "q")
    for _ in range(2):
        for one in ids:
            guarded(job(one))
    assert list(map(repr, RUNS)) == list(map(repr, ids))


def test_a_generator_has_run_nothing_and_leaves_no_mark(redis_url: str, redis_client: Client) -> None:
    with pytest.raises(TypeError, match="returned a generator"):
        Runner(Once(only_prepares, redis_url, "q")).call(job("a"))
    assert snapshot(redis_client, Q) == {}


def test_a_process_that_the_handler_forked_leaves_no_mark(redis_url: str, redis_client: Client) -> None:
    marks_seen_by_parent: list[int] = []

    def forks(_: Job) -> None:
        forked = os.fork()
        if forked:
            os.waitpid(forked, 0)
            marks_seen_by_parent.append(redis_client.exists(Q.once(b"a")))

    Runner(Once(forks, redis_url, "q")).call(job("a"))
    assert marks_seen_by_parent == [0]
    assert redis_client.exists(Q.once(b"a")) == 1


def test_without_a_server_a_job_waits_a_while_and_is_then_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once_module, "PATIENCE_SECONDS", 0.3)
    guarded = once(f"redis://127.0.0.1:{free_port()}/0", "q")(note)
    with pytest.raises(ServerAway, match="Whether the job was done before is not known"):
        guarded(job("a"))
    assert RUNS == []


def test_a_mark_that_cannot_be_read_is_a_failed_run_and_one_that_cannot_be_written_is_not(
    redis_url: str, redis_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    redis_client.rpush(Q.once(b"a"), "odd")
    with pytest.raises(ServerRefused, match="WRONGTYPE"):
        Once(note, redis_url, "q")(job("a"))
    assert RUNS == []
    with ValkeyServer() as server, server.client() as client:
        client.config_set("maxmemory", 1)
        with caplog.at_level(logging.WARNING):
            Once(note, server.url, "q")(job("b"))
        assert client.dbsize() == 0
    assert RUNS == ["b"]
    assert "q:once:b is not marked as done" in caplog.text


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds is"):
        Once(note, "redis://127.0.0.1:1/0", "q", seconds=seconds)


@pytest.mark.parametrize("handler", ["perform_once", "perform_once_async"])
def test_a_job_that_was_done_before_its_batch_was_lost_is_not_done_again(
    redis_url: str, redis_client: Client, handler: str
) -> None:
    push(redis_client, "a", "b")
    push(redis_client, "kills", exit=9)
    push(redis_client, "c")
    with (
        supervisor(redis_url, handler=f"tests.queue.handlers:{handler}", batch=3) as crew,
        janitor(redis_url, "q"),
    ):
        wait_until(lambda: redis_client.llen(Q.dead) == 1 and "c" in ran(redis_client), 60, "all is over")
        wait_until(lambda: not pending(redis_client), 10, "nothing waits")
        output = crew.output()
    assert sorted(ran(redis_client)) == ["a", "b", "c"]
    assert "job 'a' of queue q was done before and is skipped" in output
    assert [json.loads(raw)["id"] for raw in redis_client.lrange(Q.dead, 0, -1)] == ["kills"]
    assert redis_client.exists(Q.once(b"kills"), Q.once(b"a"), Q.once(b"b"), Q.once(b"c")) == 3
