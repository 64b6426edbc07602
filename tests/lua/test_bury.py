"""Bury: one pending job goes to dead, unchanged."""

import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Moved, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, address, answer_of_act, furnish, job

P1, P2, P3 = job("p1"), job("p2"), job("p3")
ANN = Act("ann", "act-1")


def test_the_job_stands_newest_in_dead(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.bury(q, address(P2, "pending", 1), ANN) == Moved(Code.BURIED)
    assert look() == changed(
        before,
        {
            "pending": [P3, P1],
            "dead": [P2, *before["dead"]],
            "stats": before["stats"] | {b"dead": b"1"},
            "events": [*before["events"], event("buried", by="ann", jobs=digest(P2))],
            "acts:act-1": answer_of_act("buried"),
        },
    )


def test_a_second_call_moves_no_equal_copy(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.pending, P1, P1, P1)
    seen = address(P1, "pending", 1)
    assert scripts.bury(q, seen, ANN).code is Code.BURIED
    between = look()
    repeat = Repeat(NOW, "ann", Code.BURIED, 1)
    assert scripts.bury(q, seen, ANN) == Moved(Code.REPEATED, repeat=repeat)
    assert look() == between
    assert scripts.bury(q, seen, Act("ann")).code is Code.BURIED
    assert (client.llen(q.pending), client.llen(q.dead)) == (1, 2)


def test_a_job_that_ran_meanwhile_is_gone(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.rpop(q.pending)
    before = look()
    assert scripts.bury(q, address(P1, "pending", 0), ANN) == Moved(Code.GONE)
    assert look() == before


def test_the_last_job_and_odd_bytes_are_buried(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    odd = [b"", b"\0watchkeeper:removed", b"\xff", b"\0watchkeeper:removed", b"not json"]
    client.rpush(q.pending, *odd)
    for raw in odd:
        assert scripts.bury(q, address(raw, "pending", 0), Act("ann")).code is Code.BURIED
    state = look()
    assert "pending" not in state
    assert sorted(state["dead"]) == sorted(odd)
