"""Settle: finished jobs leave the worker's list, and the next ones enter it, in one call with a number."""

import redis

from dashboard.queue.answers import Code, Settled
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed
from tests.support.standing_queue import NOW, W2, furnish, job

P1, P2, P3, B1, B2 = job("p1"), job("p2"), job("p3"), job("b1"), job("b2")


def settled(call: int, at: float = NOW) -> bytes:
    """What the workers hash tells of the last settle."""
    return b"%d %.3f" % (call, at)


def test_a_finished_job_leaves_and_the_next_one_enters(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.settle(q, W2, 41, [B1], 1) == Settled(Code.SETTLED, 1, [], [P1])
    assert look() == changed(
        before,
        {
            "pending": [P3, P2],
            "processing:w2": [P1, B2],
            "workers": before["workers"] | {b"s:w2": settled(41)},
            "stats": before["stats"] | {b"acked": b"1"},
        },
    )


def test_a_repeated_call_claims_again_and_only_the_number_tells(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    first = scripts.settle(q, W2, 41, [B1], 1)
    between = look()
    again = scripts.settle(q, W2, 42, [B1], 1)
    assert (first.raws, again.raws) == ([P1], [P2])
    assert (again.acked_count, again.lost) == (0, [0])
    assert look() == changed(
        between,
        {
            "pending": [P3],
            "processing:w2": [P2, P1, B2],
            "workers": between["workers"] | {b"s:w2": settled(42)},
        },
    )


def test_a_call_that_never_happened_leaves_the_older_number(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.lpush(q.processing(W2), B1)
    scripts.settle(q, W2, 7, [], 0)
    assert client.hget(q.workers, b"s:w2") == settled(7)
    Scripts(client, now=NOW + 1).settle(q, W2, 8, [B1], 0)
    assert client.hget(q.workers, b"s:w2") == settled(8, NOW + 1)


def test_what_is_no_longer_held_is_named_by_its_place(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    answer = scripts.settle(q, W2, 1, [job("gone"), B1, B2, B1], 0)
    assert answer == Settled(Code.SETTLED, 2, [0, 3], [])
    assert look() == changed(
        before,
        {
            "processing:w2": None,
            "workers": before["workers"] | {b"s:w2": settled(1)},
            "stats": before["stats"] | {b"acked": b"2"},
        },
    )


def test_of_equal_jobs_the_oldest_copy_leaves(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.processing(W2), B1, B2, B1, P1)
    assert scripts.settle(q, W2, 1, [B1], 0).acked_count == 1
    assert look()["processing:w2"] == [P1, B1, B2]


def test_a_paused_queue_acknowledges_but_gives_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hset(q.policy, "paused", "1")
    before = look()
    assert scripts.settle(q, W2, 3, [B1], 1) == Settled(Code.PAUSED, 1, [], [])
    assert look() == changed(
        before,
        {
            "processing:w2": [B2],
            "workers": before["workers"] | {b"s:w2": settled(3)},
            "stats": before["stats"] | {b"acked": b"1"},
        },
    )


def test_who_wants_nothing_is_not_told_of_the_pause(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.hset(q.policy, "paused", "1")
    client.lpush(q.processing(W2), B1)
    assert scripts.settle(q, W2, 3, [B1], 0).code is Code.SETTLED


def test_a_call_claims_about_a_megabyte(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    large = [b"%d" % n + b"x" * 400_000 for n in range(5)]
    client.lpush(q.pending, *large)
    assert scripts.settle(q, W2, 1, [], 5).raws == large[:3]
    assert scripts.settle(q, W2, 2, large[:3], 5).raws == large[3:]
    assert client.hget(q.stats, "acked") == b"3"


def test_odd_bytes_and_odd_names_are_settled_exactly(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    worker = b"a %s\n\x00\xff:b"
    client.lpush(q.processing(worker), b"", b"\xff\x00", b" ", b"\0watchkeeper:removed")
    client.lpush(q.pending, b"")
    assert scripts.settle(q, worker, 1, [b"", b"\xff\x00"], 1) == Settled(Code.SETTLED, 2, [], [b""])
    assert client.lrange(q.processing(worker), 0, -1) == [b"", b"\0watchkeeper:removed", b" "]
    assert client.hgetall(q.workers) == {b"s:" + worker: settled(1)}


def test_S14_a_late_acknowledgement_after_a_reap_changes_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    # The reaped job came back to the very same name: its bytes tell another count.
    client.lpush(q.processing(W2), job("b1", 1))
    before = look()
    assert scripts.settle(q, W2, 9, [B1], 0) == Settled(Code.SETTLED, 0, [0], [])
    assert look() == changed(before, {"workers": {b"s:w2": settled(9)}})


def test_who_wants_nothing_is_acknowledged_although_pending_has_a_wrong_type(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.set(q.pending, "mine")
    client.lpush(q.processing(W2), B1)
    assert scripts.settle(q, W2, 3, [B1], 0).acked_count == 1
    assert not client.exists(q.processing(W2))
    assert client.get(q.pending) == b"mine"
