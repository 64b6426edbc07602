"""Take: an admin takes one job from a worker that is wedged; its old bytes are worth nothing then."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Moved, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, W1, W2, address, answer_of_act, furnish, job

A1, A2, B1, B2 = job("a1"), job("a2", 3), job("b1"), job("b2")
ANN = Act("ann", "act-1")


def test_a_job_with_attempts_left_runs_next_elsewhere(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    answer = scripts.take(q, address(B1, "processing", 0, worker=W2), ANN, Policy())
    assert answer == Moved(Code.TAKEN, "pending")
    trail = f"{digest(B1)}>{digest(job('b1', 1))}"
    assert look() == changed(
        before,
        {
            "pending": [*before["pending"], job("b1", 1)],
            "processing:w2": [B2],
            "events": [*before["events"], event("taken", worker=W2, by="ann", place="pending", jobs=trail)],
            "acts:act-1": answer_of_act("taken"),
        },
    )
    between = look()
    assert scripts.settle(q, W2, 1, [B1], 0).lost == [0]
    assert {name for name, value in look().items() if value != between[name]} == {"workers"}


def test_a_job_without_attempts_left_is_dead(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    answer = scripts.take(q, address(A2, "processing", 1, worker=W1), Act("ann"), Policy())
    assert answer == Moved(Code.TAKEN, "dead")
    trail = f"{digest(A2)}>{digest(job('a2', 4))}"
    assert look() == changed(
        before,
        {
            "dead": [job("a2", 4), *before["dead"]],
            "processing:w1": [A1],
            "stats": before["stats"] | {b"dead": b"1"},
            "events": [*before["events"], event("taken", worker=W1, by="ann", place="dead", jobs=trail)],
        },
    )


def test_an_unreadable_job_is_dead_unchanged(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    odd = [b"not json", b"", b"\0watchkeeper:removed"]
    client.rpush(q.processing(W2), *odd)
    for raw in reversed(odd):
        answer = scripts.take(q, address(raw, "processing", 0, worker=W2), Act("ann"), Policy())
        assert answer == Moved(Code.TAKEN, "dead")
    state = look()
    assert state["dead"] == odd
    assert "processing:w2" not in state


def test_a_second_call_takes_no_equal_copy(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), B1, B1)
    seen = address(B1, "processing", 0, worker=W2)
    scripts.take(q, seen, ANN, Policy())
    between = look()
    repeat = Repeat(NOW, "ann", Code.TAKEN, 1)
    assert scripts.take(q, seen, ANN, Policy()) == Moved(Code.REPEATED, repeat=repeat)
    assert look() == between
    assert between["processing:w2"] == [B1]


def test_a_job_that_was_settled_meanwhile_is_gone(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    answer = scripts.take(q, address(A1, "processing", 0, worker=W2), ANN, Policy())
    assert answer == Moved(Code.GONE)
    assert look() == before


@pytest.mark.parametrize("stored", ["nan", "inf", "0x10", "", "1e400", "-1", "1.5", "x"])
def test_a_limit_that_makes_no_sense_is_not_obeyed(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, stored: str
) -> None:
    client.hset(q.policy, "max_attempts", stored)
    client.lpush(q.processing(W2), job("a", 1), job("b", 2))
    places = [
        scripts.take(q, address(raw, "processing", 0, worker=W2), Act("ann"), Policy(max_attempts=2)).place
        for raw in (job("a", 1), job("b", 2))
    ]
    assert places == ["pending", "dead"]
