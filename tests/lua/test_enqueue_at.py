"""Enqueue at: new jobs in delayed, each with its own due time; equal bytes are one member."""

import pytest
import redis

from dashboard.queue.answers import Code, Enqueued
from dashboard.queue.errors import ServerRefused
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, furnish, job

N1, N2 = job("n1"), job("n2")


def test_instants_and_delays_by_the_servers_clock(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.enqueue_at(q, [(N1, NOW + 30.5), (N2, "+90.25")]) == Enqueued(Code.ENQUEUED, 2, [])
    told = event("delayed", count=2, due=repr(NOW + 30.5), jobs=f"{digest(N1)} {digest(N2)}")
    assert look() == changed(
        before,
        {
            "delayed": [before["delayed"][0], (N1, NOW + 30.5), before["delayed"][1], (N2, NOW + 90.25)],
            "policy": before["policy"] | {b"managed": b"1"},
            "stats": before["stats"] | {b"enqueued": b"11"},
            "events": [*before["events"], told],
        },
    )


def test_S25_the_same_bytes_again_are_reported_and_the_first_due_time_stays(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    scripts.enqueue_at(q, [(N1, NOW + 30)])
    between = look()
    assert scripts.enqueue_at(q, [(N1, NOW + 99)]) == Enqueued(Code.ENQUEUED, 0, [0])
    assert look() == between
    assert scripts.enqueue_at(q, [(N2, "+1"), (N1, "+1"), (N2, "+2")]) == Enqueued(Code.ENQUEUED, 1, [1, 2])
    assert look()["delayed"] == [(N2, NOW + 1), (N1, NOW + 30)]


@pytest.mark.parametrize("due", ["nan", "", "+", "soon", "1 ", " 1", "1\x00", "+-", "0x", "1,5"])
def test_a_due_time_that_is_none_refuses_the_call_before_anything_is_stored(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, due: str
) -> None:
    furnish(client)
    before = look()
    with pytest.raises(ServerRefused):
        scripts.enqueue_at(q, [(N1, NOW), (N2, due)])
    assert look() == before


def test_no_jobs_are_no_fault(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.enqueue_at(q, []) == Enqueued(Code.ENQUEUED, 0, [])
    assert look() == {"policy": {b"managed": b"1"}}


def test_far_and_past_due_times_are_stored(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    scripts.enqueue_at(q, [(b"a", -1.0), (b"b", 1e300), (b"c", 0), (b"", "+0"), (b"d", float("inf"))])
    assert look()["delayed"] == [(b"a", -1), (b"c", 0), (b"", NOW), (b"b", 1e300), (b"d", float("inf"))]


def test_no_due_time_is_rounded(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    due = 1700000000.1234567
    scripts.enqueue_at(q, [(N1, due)])
    assert look()["delayed"] == [(N1, due)]
