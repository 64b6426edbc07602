"""Revive, oldest: dead jobs go back behind what waits, oldest first, past unreadable ones, within a bound."""

import random

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Repeat, Revived
from dashboard.queue.job import digest, set_attempts
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, answer_of_act, furnish, job

X1, X2 = job("x1", 4), job("x2", 4)
ANN = Act("ann", "act-1")
UNREADABLE = [b"not json", b"", b"[]", b"\0watchkeeper:removed", b"\xff", b'{"attempts":null}']


def test_all_come_back_oldest_first_behind_what_waits(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    answer = scripts.revive_oldest(q, bound=2, skip=0, limit=100, act=ANN)
    assert answer == Revived(Code.RETRIED, 2, 0, 2)
    assert look() == changed(
        before,
        {
            "pending": [job("x2"), job("x1"), *before["pending"]],
            "dead": None,
            "stats": before["stats"] | {b"retried": b"2"},
            "events": [*before["events"], event("retried", by="ann", count=2)],
            "acts:act-1": answer_of_act("retried", count=2),
        },
    )


def test_a_repeated_act_moves_nothing_more(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, *[job(str(n), 4) for n in range(10)])
    scripts.revive_oldest(q, bound=10, skip=0, limit=4, act=ANN)
    between = look()
    answer = scripts.revive_oldest(q, bound=10, skip=0, limit=4, act=ANN)
    assert answer == Revived(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.RETRIED, 4))
    assert look() == between


def test_what_died_after_the_bound_was_drawn_stays(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, X1, X2, job("later", 4))
    assert scripts.revive_oldest(q, bound=2, skip=0, limit=100, act=ANN).moved_count == 2
    assert look()["dead"] == [job("later", 4)]


@pytest.mark.parametrize("bound", [0, 1])
def test_a_bound_that_is_reached_moves_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, bound: int
) -> None:
    client.lpush(q.dead, b"bad", X1)
    before = look()
    answer = scripts.revive_oldest(q, bound=bound, skip=bound, limit=100, act=Act("ann"))
    assert answer == Revived(Code.RETRIED, 0, 0, 0)
    assert look() == before


def test_nothing_moves_once_another_entry_stands_at_the_bound(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, X1, X2)
    seen = digest(X2)
    client.rpop(q.dead)
    client.lpush(q.dead, job("later", 4))
    before = look()
    answer = scripts.revive_oldest(q, bound=2, skip=0, limit=100, act=ANN, newest_digest=seen)
    assert answer == Revived(Code.GONE)
    assert look() == before
    answer = scripts.revive_oldest(q, bound=1, skip=0, limit=100, act=ANN, newest_digest=seen)
    assert answer == Revived(Code.RETRIED, 1, 0, 1)
    assert look()["dead"] == [job("later", 4)]


def test_a_missing_list_and_a_bound_beyond_it_are_no_fault(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    assert scripts.revive_oldest(q, bound=5, skip=0, limit=9, act=Act("ann")) == Revived(Code.RETRIED)
    client.lpush(q.dead, b"bad", X1)
    assert scripts.revive_oldest(q, bound=500, skip=300, limit=9, act=Act("ann")) == Revived(Code.RETRIED)
    assert look() == {"dead": [X1, b"bad"]}
    answer = scripts.revive_oldest(q, bound=500, skip=0, limit=9, act=Act("ann"))
    assert answer == Revived(Code.RETRIED, 1, 1, 2)


def test_a_call_moves_about_a_megabyte(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    large = [b'{"p":"%s","attempts":%d}' % (b"x" * size, size) for size in [1_100_000] + [400_000] * 20]
    client.lpush(q.dead, job("small", 4), *large)
    moved = []
    while count := scripts.revive_oldest(q, bound=22, skip=0, limit=100, act=Act("ann")).moved_count:
        moved.append(count)
    # Behind a small one eight are read before their size is known; after a large one they are read singly.
    assert moved == [9, 3, 3, 3, 3, 1]


@pytest.mark.parametrize("keeps", [False, True], ids=["reset", "kept"])
def test_attempts_are_reset_or_kept(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, keeps: bool
) -> None:
    client.lpush(q.dead, X1, b"{}")
    scripts.revive_oldest(q, bound=2, skip=0, limit=9, act=Act("ann"), keep_attempts=keeps)
    assert look()["pending"] == [b"{}", X1 if keeps else job("x1")]


@pytest.mark.parametrize("seed", range(60))
def test_with_unreadable_ones_anywhere_the_loop_of_a_caller_moves_exactly_the_rest(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, seed: int
) -> None:
    dice = random.Random(seed)
    count, share = dice.choice([1, 3, 9, 40, 300, 700]), dice.choice([0, 0.02, 0.3, 0.9, 1])
    raws = [
        dice.choice(UNREADABLE) if dice.random() < share else job(str(dice.randrange(50)), dice.randrange(9))
        for _ in range(count)
    ]
    later = [dice.choice([*UNREADABLE, X1]) for _ in range(dice.randrange(4))]
    client.lpush(q.pending, b"waits")
    client.lpush(q.dead, *raws, *later)
    bound, skip, unreadable = count, 0, 0
    while bound > skip:
        answer = scripts.revive_oldest(
            q, bound=bound, skip=skip, limit=dice.randrange(1, 400), act=Act("ann")
        )
        assert answer.seen_count == answer.moved_count + answer.unreadable_count > 0
        bound, skip = bound - answer.moved_count, skip + answer.unreadable_count
        unreadable += answer.unreadable_count
    good = [raw for raw in raws if set_attempts(raw, 0) is not None]
    bad = [raw for raw in raws if set_attempts(raw, 0) is None]
    assert client.lrange(q.pending, 0, -1) == [set_attempts(raw, 0) for raw in reversed(good)] + [b"waits"]
    assert unreadable == len(bad)
    left = client.lrange(q.dead, 0, -1)
    assert left[: len(later)] == later[::-1]
    if b"\0watchkeeper:removed" not in bad:
        assert left[len(later) :] == bad[::-1]
    # A job that equals our removal mark is kept too; only its place among unreadable ones may change.
    assert sorted(left[len(later) :]) == sorted(bad)
