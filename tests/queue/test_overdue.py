"""Jobs over their time limit, in real processes: interrupted, or ended with their child."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.queue.running import (
    Client,
    Q,
    attempts,
    held,
    holder_of,
    ids,
    pending,
    push,
    ran,
    supervisor,
    wait_for_holder,
    worker,
    workers,
)
from tests.support.processes import wait_until

SAID = "over its time limit of 1 s"


def event_of(client: Client, kind: bytes) -> list[dict[bytes, bytes]]:
    return [fields for _, fields in client.xrange(Q.events) if fields[b"event"] == kind]


@pytest.mark.parametrize("start", [supervisor, worker])
@pytest.mark.parametrize("handler", ["perform", "perform_async", "sleep_async"])
def test_a_job_over_its_limit_fails_like_any_other_and_its_process_goes_on(
    redis_url: str, redis_client: Client, start: Any, handler: str
) -> None:
    push(redis_client, "quick")
    push(redis_client, "slow", sleep=60)
    push(redis_client, "later")
    with start(redis_url, handler=f"tests.queue.handlers:{handler}", time_limit_seconds=1):
        name = wait_for_holder(redis_client, "slow")
        wait_until(lambda: ran(redis_client) == ["quick", "later"], 15, "the others run")
        wait_until(lambda: held(redis_client) == {}, 5, "nothing is held")
        assert workers(redis_client) == {name}
        ((raw, due),) = redis_client.zrange(Q.delayed, 0, -1, withscores=True)
        told = json.loads(raw)
        seconds, _ = redis_client.time()
        assert told["error"] == f"TimeLimitExceeded: the job was {SAID}"
        assert "handlers.py" in told["traceback"]
        assert (ids([raw]), attempts([raw])) == (["slow"], [1])
        assert -5 < due - seconds < 3
    assert event_of(redis_client, b"reaped") == []
    assert redis_client.hget(Q.stats, "failed") == b"1"


@pytest.mark.parametrize("order", [{"never_let_go": True}, {"swallow": 60}])
def test_a_child_that_cannot_be_interrupted_is_ended_and_only_the_job_that_did_it_pays(
    redis_url: str, redis_client: Client, order: dict[str, Any]
) -> None:
    redis_client.hset(Q.policy, "max_attempts", "0")
    push(redis_client, "quick")
    push(redis_client, "stuck", **order)
    push(redis_client, "b", "c")
    with supervisor(redis_url, batch=4, time_limit_seconds=1) as process:
        name = wait_for_holder(redis_client, "stuck")
        began_at = time.monotonic()
        wait_until(lambda: redis_client.llen(Q.dead), 20, "it is dead")
        assert 3 < time.monotonic() - began_at < 15
        wait_until(lambda: ran(redis_client) == ["quick", "b", "c"], 15, "the others run, once each")
        wait_until(lambda: held(redis_client) == {}, 5, "nothing is held")
        process.wait_for_output(f"its job is {SAID} and goes on", 5)
        wait_until(lambda: name not in workers(redis_client), 5, "its heartbeat is gone")
    dead = redis_client.lrange(Q.dead, 0, -1)
    assert (ids(dead), attempts(dead)) == (["stuck"], [1])
    (reaped,) = event_of(redis_client, b"reaped")
    assert (reaped[b"worker"], reaped[b"why"], reaped[b"detail"]) == (name, b"child-exit", SAID.encode())
    assert (reaped[b"moved"], reaped[b"dead"]) == (b"0", b"1")
    tombstone = json.loads(redis_client.hget(Q.workers, b"t:" + name))
    assert (tombstone["state"], tombstone["why"], tombstone["detail"]) == ("reaped", "child-exit", SAID)
    assert redis_client.hget(Q.stats, "acked") == b"3"
    assert pending(redis_client) == []


def test_a_job_that_ends_every_child_over_its_limit_is_dead_after_its_allowed_runs(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.hset(Q.policy, "max_attempts", "1")
    push(redis_client, "stuck", never_let_go=True)
    with supervisor(redis_url, time_limit_seconds=0.2) as process:
        wait_until(lambda: redis_client.llen(Q.dead), 30, "it is dead")
        push(redis_client, "a")
        wait_until(lambda: ran(redis_client) == ["a"], 10, "the queue goes on")
        assert process.is_running()
    assert attempts(redis_client.lrange(Q.dead, 0, -1)) == [2]
    assert [one[b"detail"] for one in event_of(redis_client, b"reaped")] == [
        b"over its time limit of 0.2 s"
    ] * 2


def test_a_job_that_swallows_the_exception_and_ends_in_time_has_failed_all_the_same(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "stubborn", swallow=1.5)
    with supervisor(redis_url, time_limit_seconds=1):
        wait_until(lambda: redis_client.zcard(Q.delayed), 15, "it is delayed")
        assert ran(redis_client) == ["stubborn"]
        assert redis_client.llen("swallowed") == 1
    assert event_of(redis_client, b"reaped") == []


def test_with_two_queues_only_the_one_of_the_job_tells_of_it(redis_url: str, redis_client: Client) -> None:
    redis_client.hset("low:policy", "max_attempts", "0")
    push(redis_client, "stuck", queue="low", swallow=60)
    with supervisor(redis_url, queue=["q", "low"], time_limit_seconds=1):
        wait_until(lambda: holder_of(redis_client, "stuck", "low"), 10, "it runs")
        wait_until(lambda: redis_client.llen("low:dead"), 20, "it is dead")
        push(redis_client, "a")
        wait_until(lambda: ran(redis_client) == ["a"], 10, "the other queue goes on")
    assert event_of(redis_client, b"reaped") == []
    assert attempts(redis_client.lrange("low:dead", 0, -1)) == [1]
