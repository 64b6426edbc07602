"""Release: claimed jobs go back to the front of pending, unharmed, the oldest to run next."""

import redis

from dashboard.queue.answers import Code, Released
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import W2, furnish, job

B1, B2 = job("b1"), job("b2")


def test_jobs_come_back_in_the_order_they_would_have_run(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.release(q, W2, [B1, B2]) == Released(Code.RELEASED, 2, [])
    told = event("released", worker=W2, count=2, jobs=f"{digest(B2)} {digest(B1)}")
    assert look() == changed(
        before,
        {
            "pending": [*before["pending"], B2, B1],
            "processing:w2": None,
            "events": [*before["events"], told],
            "stats": before["stats"] | {b"released": b"2"},
        },
    )


def test_the_second_call_finds_nothing_held(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    scripts.release(q, W2, [B1])
    between = look()
    assert scripts.release(q, W2, [B1]) == Released(Code.RELEASED, 0, [0])
    assert look() == between


def test_what_is_no_longer_held_is_named_and_the_rest_released(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), B1, B2)
    answer = scripts.release(q, W2, [job("gone"), B1, job("lost")])
    assert answer.released_count == 1
    assert sorted(answer.lost) == [0, 2]
    state = look()
    assert (state["pending"], state["processing:w2"]) == ([B1], [B2])


def test_S14_a_release_after_a_reap_changes_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), job("b1", 1))
    before = look()
    assert scripts.release(q, W2, [B1]) == Released(Code.RELEASED, 0, [0])
    assert look() == before


def test_equal_jobs_are_released_one_for_one(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), B1, B2, B1, B1)
    assert scripts.release(q, W2, [B1, B1]) == Released(Code.RELEASED, 2, [])
    state = look()
    assert state["pending"] == [B1, B1]
    assert sorted(state["processing:w2"]) == [B1, B2]


def test_counters_and_odd_bytes_stay_as_they_are(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    odd = [b"", b"\xff\x00", job("x", 7), b"\0watchkeeper:removed"]
    client.lpush(q.processing(W2), *odd)
    assert scripts.release(q, W2, odd) == Released(Code.RELEASED, 4, [])
    state = look()
    assert state["pending"] == odd[::-1]
    assert "processing:w2" not in state


def test_nothing_given_is_nothing_released(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.release(q, W2, []) == Released(Code.RELEASED, 0, [])
    assert look() == before
