"""Revive, one: an exact dead job goes back to run next, its attempts at 0 unless they are kept."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Repeat, Revived
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, address, answer_of_act, furnish, job

X1, X2 = job("x1", 4), job("x2", 4)
ANN = Act("ann", "act-1")


@pytest.mark.parametrize("keeps", [False, True], ids=["reset", "kept"])
def test_the_job_runs_next(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, keeps: bool
) -> None:
    furnish(client)
    before = look()
    renewed = X2 if keeps else job("x2", 0)
    answer = scripts.revive_one(q, address(X2, "dead", 1), ANN, keep_attempts=keeps)
    assert answer == Revived(Code.RETRIED, 1, 0, 1)
    told = event("retried", by="ann", count=1, jobs=f"{digest(X2)}>{digest(renewed)}")
    assert look() == changed(
        before,
        {
            "pending": [*before["pending"], renewed],
            "dead": [X1],
            "stats": before["stats"] | {b"retried": b"1"},
            "events": [*before["events"], told],
            "acts:act-1": answer_of_act("retried"),
        },
    )


def test_S35_a_double_click_moves_one_of_two_equal_jobs(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, X1, X1)
    scripts.revive_one(q, address(X1, "dead", 0), ANN)
    between = look()
    answer = scripts.revive_one(q, address(X1, "dead", 0), ANN)
    assert answer == Revived(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.RETRIED, 1))
    assert look() == between
    assert (between["dead"], between["pending"]) == ([X1], [job("x1")])
    # Without an act id, or under another one, the equal copy moves too.
    assert scripts.revive_one(q, address(X1, "dead", 0), Act("ann", "act-2")).moved_count == 1
    assert "dead" not in look()


def test_S35_of_two_operators_only_one_moves_it(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, X1)
    assert scripts.revive_one(q, address(X1, "dead", 0), ANN).code is Code.RETRIED
    between = look()
    answer = scripts.revive_one(q, address(X1, "dead", 0), Act("bob", "act-2"))
    assert answer == Revived(Code.GONE)
    assert look() == between


@pytest.mark.parametrize(
    "raw", [b"not json", b"[]", b'{"attempts":"x"}', b"", b"\0watchkeeper:removed"], ids=repr
)
def test_an_unreadable_job_stays(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, raw: bytes
) -> None:
    client.lpush(q.dead, X1, raw, X2)
    before = look()
    for keeps in (False, True):
        answer = scripts.revive_one(q, address(raw, "dead", 1), ANN, keep_attempts=keeps)
        assert answer == Revived(Code.UNREADABLE, 0, 1, 1)
    assert look() == before


def test_a_job_without_a_counter_gets_none(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, b"{}", b'{"id":1}')
    scripts.revive_one(q, address(b"{}", "dead", 0), ANN)
    scripts.revive_one(q, address(b'{"id":1}', "dead", 0), Act("ann"))
    assert look()["pending"] == [b"{}", b'{"id":1}']


@pytest.mark.parametrize("place", [0, 1, 2, 149, 150, 299])
@pytest.mark.parametrize("drift", [0, 1, 2, 7, 16, 100, 128, -1, -5, -17, -128])
def test_a_job_is_found_near_its_hint_and_its_neighbours_stay(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, place: int, drift: int
) -> None:
    raws = [job(f"{n:03}", n % 10) for n in range(300)]
    client.lpush(q.dead, *raws)
    hint = max(0, place + drift)
    assert scripts.revive_one(q, address(raws[place], "dead", hint), Act("ann")).code is Code.RETRIED
    assert client.lrange(q.pending, 0, -1) == [job(f"{place:03}")]
    assert client.lrange(q.dead, 0, -1) == raws[::-1][: 299 - place] + raws[::-1][300 - place :]


@pytest.mark.parametrize("hint", [129 + 5, 5000, 999_999_999_999])
def test_a_job_far_from_its_hint_is_not_looked_for(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, hint: int
) -> None:
    raws = [job(f"{n:03}") for n in range(200)]
    client.lpush(q.dead, *raws)
    before = look()
    assert scripts.revive_one(q, address(raws[5], "dead", hint), ANN) == Revived(Code.GONE)
    assert look() == before


def test_the_exact_place_of_equal_jobs_is_preferred(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, X1, job("a"), X1, job("b"), X1, job("c"))
    scripts.revive_one(q, address(X1, "dead", 2), Act("ann"))
    assert look()["dead"] == [job("c"), X1, job("b"), job("a"), X1]


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 1_048_576])
def test_large_jobs_are_told_apart_by_length_and_both_ends(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, length: int
) -> None:
    raw = b'{"p":"%s","attempts":4}' % (b"x" * (length - 21))
    assert len(raw) == length
    other_end, other_start = raw.replace(b":4}", b":5}"), raw.replace(b'"p"', b'"q"')
    client.lpush(q.dead, other_end, other_start, raw + b" ", raw)
    assert scripts.revive_one(q, address(raw, "dead", 0), Act("ann")).code is Code.RETRIED
    state = look()
    assert state["dead"] == [raw + b" ", other_start, other_end]
    assert state["pending"] == [raw.replace(b":4}", b":0}")]


def test_a_list_of_large_jobs_is_looked_through_up_to_a_bound(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    large = [b"%02d" % n + b"x" * 1_000_000 for n in range(20)]
    client.rpush(q.dead, X1, *large)
    assert scripts.revive_one(q, address(X1, "dead", 18), Act("ann")).code is Code.RETRIED
    client.rpush(q.dead, X2)
    assert scripts.revive_one(q, address(X2, "dead", 19), Act("ann")).code is Code.GONE
    assert client.llen(q.dead) == 21
