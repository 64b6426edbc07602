"""Claim: jobs move from the right of pending into the worker's own list, oldest first."""

import redis

from dashboard.queue.answers import Claimed, Code
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import CLAIM_MAX, Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed
from tests.support.standing_queue import W2, furnish, job

P1, P2, P3 = job("p1"), job("p2"), job("p3")


def test_the_oldest_is_claimed_and_only_two_lists_change(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.claim(q, b"new", 1) == Claimed(Code.CLAIMED, [P1])
    assert look() == changed(before, {"pending": [P3, P2], "processing:new": [P1]})


def test_several_come_oldest_first_and_stand_newest_at_the_left(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.claim(q, W2, 2) == Claimed(Code.CLAIMED, [P1, P2])
    held = [P2, P1, *before["processing:w2"]]
    assert look() == changed(before, {"pending": [P3], "processing:w2": held})


def test_a_claim_that_is_repeated_claims_more_and_loses_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.pending, P1, P2, P3)
    assert scripts.claim(q, W2, 2).raws == [P1, P2]
    assert scripts.claim(q, W2, 2).raws == [P3]
    assert look() == {"processing:w2": [P3, P2, P1]}


def test_nothing_is_claimed_from_an_empty_or_missing_queue(
    scripts: Scripts, q: QueueKeys, look: Look
) -> None:
    assert scripts.claim(q, W2, 5) == Claimed(Code.CLAIMED, [])
    assert look() == {}


def test_none_are_claimed_where_none_are_wanted(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.pending, P1)
    assert scripts.claim(q, W2, 0) == Claimed(Code.CLAIMED, [])
    assert scripts.claim(q, W2, -3) == Claimed(Code.CLAIMED, [])
    assert look() == {"pending": [P1]}


def test_a_paused_queue_gives_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hset(q.policy, "paused", "1")
    before = look()
    assert scripts.claim(q, W2, 5) == Claimed(Code.PAUSED, [])
    assert look() == before


def test_only_a_one_means_paused(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.lpush(q.pending, P1, P2, P3)
    for value in (b"0", b"", b"true"):
        client.hset(q.policy, "paused", value)
        assert len(scripts.claim(q, W2, 1).raws) == 1


def test_a_call_takes_a_hundred_at_most(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.lpush(q.pending, *[job(str(n)) for n in range(CLAIM_MAX + 20)])
    assert scripts.claim(q, W2, 5000).raws == [job(str(n)) for n in range(CLAIM_MAX)]
    assert client.llen(q.pending) == 20


def test_a_call_ends_after_about_a_megabyte(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    large = [b"%d" % n + b"x" * 400_000 for n in range(5)]
    client.lpush(q.pending, *large)
    assert scripts.claim(q, W2, 5).raws == large[:3]
    assert scripts.claim(q, W2, 5).raws == large[3:]


def test_odd_bytes_and_equal_jobs_are_claimed_as_they_are(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    odd = [b"", b"not json", b"\xff\x00\r\n", b"\0watchkeeper:removed", P1, P1]
    client.lpush(q.pending, *odd)
    assert scripts.claim(q, W2, 10).raws == odd
    assert look() == {"processing:w2": odd[::-1]}
