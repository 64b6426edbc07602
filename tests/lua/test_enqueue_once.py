"""Enqueue once: one job under a dedup key, and the mark in the same step."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from dashboard.queue.answers import Code, EnqueuedOnce
from dashboard.queue.errors import ServerRefused, WrongKeyType
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, dumps, event
from tests.support.server import ValkeyServer
from tests.support.standing_queue import NOW, furnish, job

N1, N2 = job("n1"), job("n2")


def once(
    scripts: Scripts,
    q: QueueKeys,
    raw: bytes,
    mark: bytes,
    due: float | str | None = None,
    mark_ms: int = 60_000,
) -> EnqueuedOnce:
    """One call under the key "order:7"."""
    return scripts.enqueue_once(q, raw, due=due, dedup=b"order:7", mark=mark, mark_ms=mark_ms)


def test_the_first_is_stored_and_marked_and_the_second_stores_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert once(scripts, q, N1, b"t1 1") == EnqueuedOnce(Code.ENQUEUED, b"t1 1")
    after = changed(
        before,
        {
            "pending": [N1, *before["pending"]],
            "dedup:order%3A7": b"t1 1",
            "policy": before["policy"] | {b"managed": b"1"},
            "stats": before["stats"] | {b"enqueued": b"10"},
        },
    )
    assert look() == after
    assert once(scripts, q, N2, b"t2 2") == EnqueuedOnce(Code.DUPLICATE, b"t1 1")
    assert once(scripts, q, N2, b"t2 2", due=NOW + 9) == EnqueuedOnce(Code.DUPLICATE, b"t1 1")
    assert look() == changed(after, {"stats": after["stats"] | {b"duplicates": b"2"}})


def test_a_delayed_job_is_marked_too(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert once(scripts, q, N1, b"t1 1", due="+90.25").code is Code.ENQUEUED
    assert once(scripts, q, N2, b"t2 2", due=5.0).code is Code.DUPLICATE
    state = look()
    assert state["delayed"] == [(N1, NOW + 90.25)]
    assert "pending" not in state
    assert state["events"] == [
        event("delayed", count=1, due=f"{NOW + 90.25:.3f}", jobs=digest(N1)),
    ]


def test_the_mark_goes_after_its_time_and_the_next_job_is_stored(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    once(scripts, q, N1, b"t1 1", mark_ms=3_600_000)
    left: Any = client.pttl(q.dedup(b"order:7"))
    assert 3_540_000 < left <= 3_600_000
    client.pexpire(q.dedup(b"order:7"), 0)
    assert once(scripts, q, N2, b"t2 2") == EnqueuedOnce(Code.ENQUEUED, b"t2 2")
    assert client.lrange(q.pending, 0, -1) == [N2, N1]


def test_exactly_these_bytes_delayed_already_are_reported_and_nothing_is_marked(
    scripts: Scripts, q: QueueKeys, look: Look
) -> None:
    scripts.enqueue_at(q, [(N1, NOW + 30)])
    before = look()
    assert once(scripts, q, N1, b"t1 1", due=NOW + 99).code is Code.DELAYED
    assert look() == before


@pytest.mark.parametrize("due", ["nan", "+", "soon"])
def test_a_due_time_that_is_none_stores_nothing_and_marks_nothing(
    scripts: Scripts, q: QueueKeys, look: Look, due: str
) -> None:
    with pytest.raises(ServerRefused):
        once(scripts, q, N1, b"t1 1", due=due)
    assert look() == {}


@pytest.mark.parametrize("odd", ["pending", "dedup"])
def test_a_key_of_another_type_stores_nothing_and_marks_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, odd: str
) -> None:
    client.hset(q.pending if odd == "pending" else q.dedup(b"order:7"), "f", "v")
    before = dumps(client)
    with pytest.raises(WrongKeyType):
        once(scripts, q, N1, b"t1 1")
    assert dumps(client) == before


@pytest.mark.parametrize("denied", ["-set", "-get", "-lpush", "-zadd"])
def test_a_user_who_may_not_mark_or_not_push_leaves_neither_a_job_nor_a_mark(
    shared_server: ValkeyServer, redis_client: redis.Redis, q: QueueKeys, denied: str
) -> None:
    allowed = ["+@all", denied]
    redis_client.acl_setuser("some", enabled=True, reset=True, nopass=True, keys=["*"], commands=allowed)
    with shared_server.client(username="some", password="x") as client, pytest.raises(ServerRefused):
        once(Scripts(client), q, N1, b"t1 1", due="+5" if denied == "-zadd" else None)
    redis_client.acl_deluser("some")
    assert dumps(redis_client) == {}
