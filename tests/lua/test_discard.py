"""Discard: one job leaves the queue for the trash, unless a living worker holds it."""

from typing import Any

import pytest
import redis

from dashboard.queue.address import Act, Address
from dashboard.queue.answers import Code, Discarded, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.lua.test_promote import score_of
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, SILENT, W1, W2, address, answer_of_act, furnish, job

ANN = Act("ann", "act-1")
A1, A2, D1, D2, P1, P2, P3, X1, X2 = (
    *(job("a1"), job("a2", 3), job("d1", 1), job("d2", 1), job("p1"), job("p2"), job("p3")),
    *(job("x1", 4), job("x2", 4)),
)


def discard(
    scripts: Scripts, q: QueueKeys, seen: Address, act: Act = ANN, trash_count: int = 1000
) -> Discarded:
    """Discard with the usual settings."""
    return scripts.discard(q, seen, act, defaults=Policy(), trash_count=trash_count)


def trashed(raw: bytes, place: str, due: bytes = b"", worker: bytes = b"") -> dict[bytes, bytes]:
    """One entry of the trash."""
    return {
        b"raw": raw, b"place": place.encode(), b"due": due, b"worker": worker, b"by": b"ann",
        b"at": b"%.3f" % NOW,
    }  # fmt: skip


@pytest.mark.parametrize("place", ["pending", "dead", "delayed", "processing"])
def test_the_job_moves_to_the_trash_with_where_it_was(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, place: str
) -> None:
    furnish(client)
    before = look()
    due = score_of(client, q, D2)
    cases: dict[str, tuple[Address, str, Any, dict[bytes, bytes]]] = {
        "pending": (address(P2, "pending", 1), "pending", [P3, P1], trashed(P2, place)),
        "dead": (address(X1, "dead", 0), "dead", [X2], trashed(X1, place)),
        "delayed": (address(D2, place, 1, due), place, [(D1, NOW - 60)], trashed(D2, place, due)),
        "processing": (address(A1, place, 0, worker=W1), "processing:w1", [A2], trashed(A1, place, b"", W1)),
    }
    seen, key, left, entry = cases[place]
    answer = discard(scripts, q, seen)
    assert answer.code is Code.DISCARDED
    assert look() == changed(
        before,
        {
            key: left,
            "trash": [*before["trash"], entry],
            "stats": before["stats"] | {b"discarded": b"1"},
            "events": [
                *before["events"],
                event(
                    "discarded", by="ann", place=place, worker=seen.worker or "", jobs=digest(entry[b"raw"])
                ),
            ],
            "acts:act-1": answer_of_act("discarded"),
        },
    )
    newest: Any = client.xrevrange(q.trash, count=1)
    assert newest[0][0].decode() == answer.trash_id


def test_a_double_click_discards_one_of_two_equal_jobs(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.lpush(q.dead, X1, X1)
    discard(scripts, q, address(X1, "dead", 0))
    between = look()
    answer = discard(scripts, q, address(X1, "dead", 0))
    assert answer == Discarded(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.DISCARDED, 1))
    assert look() == between
    assert between["dead"] == [X1]


@pytest.mark.parametrize("place", ["pending", "dead", "delayed", "processing"])
def test_a_job_that_is_gone_is_not_discarded(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, place: str
) -> None:
    furnish(client)
    before = look()
    score, worker = (b"5", None) if place == "delayed" else (None, W1 if place == "processing" else None)
    assert discard(scripts, q, address(job("never"), place, 0, score, worker)) == Discarded(Code.GONE)
    assert look() == before


def held_by(client: redis.Redis, q: QueueKeys, beat: str | bytes | None) -> Address:
    """Let W2 hold one job under that heartbeat, and say where it is."""
    client.lpush(q.processing(W2), A1)
    if beat is not None:
        client.hset(q.heartbeats, W2, beat)
    return address(A1, "processing", 0, worker=W2)


@pytest.mark.parametrize(
    "beat",
    [
        *(
            f"{NOW:.0f}",
            f"{NOW - 30}",
            f"{NOW + 5}",
            f"{NOW + 3600}",
            f"{NOW * 1000:.0f}",
            "garbage",
            "",
            "nan",
        ),
        *("inf", "-inf", "-5", "0x1F", "1e400", b"12\x00", b"\xff"),
    ],
)
def test_a_job_of_a_worker_that_lives_or_tells_nothing_is_refused(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, beat: str | bytes
) -> None:
    seen = held_by(client, q, beat)
    before = look()
    assert discard(scripts, q, seen) == Discarded(Code.ALIVE)
    assert look() == before


@pytest.mark.parametrize("beat", [f"{NOW - 31}", " 12 ", "1e3", "1", None])
def test_a_job_of_a_worker_that_is_silent_or_unknown_is_discarded(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, beat: str | None
) -> None:
    assert discard(scripts, q, held_by(client, q, beat)).code is Code.DISCARDED
    assert not client.exists(q.processing(W2))


@pytest.mark.parametrize("stored", ["nan", "inf", "-inf", "0x10", "", "1e400", "-1", "0", "2.99", "x"])
def test_a_threshold_that_makes_no_sense_protects_as_the_settings_do(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, stored: str
) -> None:
    client.hset(q.policy, "stale_after_seconds", stored)
    seen = held_by(client, q, f"{NOW - 29}")
    assert discard(scripts, q, seen).code is Code.ALIVE
    client.hset(q.heartbeats, W2, f"{NOW - 31}")
    assert discard(scripts, q, seen).code is Code.DISCARDED


def test_the_threshold_of_the_policy_counts_before_that_of_the_settings(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.hset(q.policy, "stale_after_seconds", "60")
    seen = held_by(client, q, f"{NOW - 59}")
    assert discard(scripts, q, seen).code is Code.ALIVE
    client.hset(q.policy, "stale_after_seconds", "10")
    assert discard(scripts, q, seen).code is Code.DISCARDED


def test_a_policy_of_the_wrong_type_counts_as_none(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.set(q.policy, "x")
    assert discard(scripts, q, held_by(client, q, f"{NOW - 29}")).code is Code.ALIVE


def test_the_trash_keeps_about_as_many_as_it_is_told(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.lpush(q.dead, *[job(f"{n:04}") for n in range(500)])
    for n in range(500):
        assert discard(scripts, q, address(job(f"{n:04}"), "dead", 0), Act("ann"), 100).code is Code.DISCARDED
    assert 100 <= client.xlen(q.trash) < 250
    assert not client.exists(q.dead)


def test_odd_bytes_are_kept_exactly(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    odd = [b"", b"\xff\x00", b"\0watchkeeper:removed", b"x" * 70_000, b'{"a":1} ']
    client.rpush(q.dead, *odd)
    for raw in reversed(odd):
        assert discard(scripts, q, address(raw, "dead", 0), Act("ann")).code is Code.DISCARDED
    kept: Any = client.xrange(q.trash)
    assert [fields[b"raw"] for _, fields in kept] == odd[::-1]


def test_the_heartbeats_of_other_queues_and_places_do_not_matter(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    furnish(client)
    client.hset(q.heartbeats, W1, SILENT)
    assert discard(scripts, q, address(A1, "processing", 0, worker=W1)).code is Code.DISCARDED
