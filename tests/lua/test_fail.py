"""Fail: a job that raised goes to delayed or dead with its new bytes, while it is still held."""

import pytest
import redis

from dashboard.queue.answers import Code, Failed
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, W2, furnish, job

B1, B2 = job("b1"), job("b2")
NEW = b'{"error":"no","id":"b1","attempts":1}'


def test_a_job_with_a_delay_is_due_by_the_servers_clock(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    answer = scripts.fail(q, W2, B1, NEW, delay_ms=1500, error="no")
    due = NOW + 1.5
    assert answer == Failed(Code.DELAYED, due)
    told = event("failed", worker=W2, error="no", to=digest(NEW), due=f"{due:.3f}", **{"from": digest(B1)})
    assert look() == changed(
        before,
        {
            "processing:w2": [B2],
            "delayed": [before["delayed"][0], (NEW, due), before["delayed"][1]],
            "events": [*before["events"], told],
            "stats": before["stats"] | {b"failed": b"1"},
        },
    )


def test_a_job_without_a_delay_is_dead(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.fail(q, W2, B1, NEW, delay_ms=None, error="no") == Failed(Code.DEAD)
    told = event("dead", worker=W2, error="no", to=digest(NEW), due="", **{"from": digest(B1)})
    assert look() == changed(
        before,
        {
            "processing:w2": [B2],
            "dead": [NEW, *before["dead"]],
            "events": [*before["events"], told],
            "stats": before["stats"] | {b"failed": b"1", b"dead": b"1"},
        },
    )


@pytest.mark.parametrize("delay_ms", [0, 1000, None])
def test_the_second_call_is_lost_and_changes_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, delay_ms: int | None
) -> None:
    furnish(client)
    scripts.fail(q, W2, B1, NEW, delay_ms=delay_ms, error="no")
    between = look()
    assert scripts.fail(q, W2, B1, NEW, delay_ms=delay_ms, error="no") == Failed(Code.LOST)
    assert look() == between


def test_S14_a_failure_told_after_a_reap_is_lost(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), job("b1", 1))
    before = look()
    for delay_ms in (1000, None):
        assert scripts.fail(q, W2, B1, NEW, delay_ms=delay_ms, error="no") == Failed(Code.LOST)
    assert look() == before


def test_S66_equal_jobs_that_fail_stay_two(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), B1, B1, B1)
    for delay_ms in (1000, 1000, 5000):
        assert scripts.fail(q, W2, B1, NEW, delay_ms=delay_ms, error="no").code is Code.DELAYED
    state = look()
    assert "processing:w2" not in state
    assert state["delayed"] == [(NEW, NOW + 1), (NEW + b" ", NOW + 1), (NEW + b"  ", NOW + 5)]


def test_of_equal_jobs_the_oldest_copy_fails(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), B1, B2, B1)
    scripts.fail(q, W2, B1, NEW, delay_ms=None, error="no")
    assert look()["processing:w2"] == [B1, B2]


def test_an_older_due_time_of_an_equal_member_is_kept(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.zadd(q.delayed, {NEW: NOW + 9000})
    client.lpush(q.processing(W2), B1)
    scripts.fail(q, W2, B1, NEW, delay_ms=0, error="no")
    assert look()["delayed"] == [(NEW + b" ", NOW), (NEW, NOW + 9000)]


def test_odd_bytes_arrive_unchanged(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    odd = [b"", b"\xff\x00", b"[]", b"\0watchkeeper:removed"]
    client.lpush(q.processing(W2), *odd)
    for raw in odd:
        assert scripts.fail(q, W2, raw, raw, delay_ms=None, error="%s \x00 \n").code is Code.DEAD
    state = look()
    assert state["dead"] == odd[::-1]
    assert "processing:w2" not in state
    assert {entry[b"error"] for entry in state["events"]} == {b"%s \x00 \n"}
