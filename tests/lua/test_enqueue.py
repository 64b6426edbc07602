"""Enqueue: new jobs at the left of pending, the first of them to run first."""

import pytest
import redis

from dashboard.queue.answers import Code, Enqueued
from dashboard.queue.errors import ServerRefused
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed
from tests.support.standing_queue import furnish, job

N1, N2 = job("n1"), job("n2")


def test_jobs_run_after_what_waits_in_the_order_given(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.enqueue(q, [N1, N2]) == Enqueued(Code.ENQUEUED, 2, [])
    assert look() == changed(
        before,
        {
            "pending": [N2, N1, *before["pending"]],
            "policy": before["policy"] | {b"managed": b"1"},
            "stats": before["stats"] | {b"enqueued": b"11"},
        },
    )


def test_a_repeated_call_stores_the_job_again(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    for _ in range(2):
        scripts.enqueue(q, [N1])
    assert look() == {"pending": [N1, N1], "policy": {b"managed": b"1"}, "stats": {b"enqueued": b"2"}}


def test_no_jobs_are_no_fault(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.enqueue(q, []) == Enqueued(Code.ENQUEUED, 0, [])
    assert look() == {"policy": {b"managed": b"1"}}


def test_any_bytes_are_stored_as_they_are(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    odd = [b"", b"\xff\x00\r\n", b"%s", b"x" * 1_048_576]
    scripts.enqueue(q, odd)
    assert look()["pending"] == odd[::-1]


def test_a_thousand_go_in_one_call_and_too_many_are_refused_whole(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    assert scripts.enqueue(q, [b"%d" % n for n in range(1000)]).count == 1000
    before = look()
    with pytest.raises(ServerRefused):
        scripts.enqueue(q, [N1] * 20_000)
    assert look() == before


def test_a_paused_queue_takes_jobs(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.hset(q.policy, mapping={"paused": "1", "managed": "0"})
    scripts.enqueue(q, [N1])
    assert client.llen(q.pending) == 1
    assert client.hgetall(q.policy) == {b"paused": b"1", b"managed": b"0"}
