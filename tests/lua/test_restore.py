"""Restore: a discarded job comes back to where it stood, once."""

from typing import Any

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Moved, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.lua.test_promote import score_of
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, TRASH_ID, W1, address, answer_of_act, furnish, job

T1, X1 = job("t1", 4), job("x1", 4)
ANN = Act("ann", "act-1")


def put(client: redis.Redis, q: QueueKeys, raw: bytes, place: bytes, due: bytes = b"") -> str:
    """Put a job into the trash and return its id."""
    fields: dict[Any, Any] = {
        b"raw": raw,
        b"place": place,
        b"due": due,
        b"worker": b"",
        b"by": b"",
        b"at": b"1",
    }
    trash_id: Any = client.xadd(q.trash, fields)
    return str(trash_id.decode())


def test_a_dead_job_comes_back_to_the_newest_end(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.restore(q, TRASH_ID, ANN) == Moved(Code.RESTORED, "dead")
    assert look() == changed(
        before,
        {
            "dead": [T1, *before["dead"]],
            "trash": [],
            "stats": before["stats"] | {b"restored": b"1"},
            "events": [*before["events"], event("restored", by="ann", place="dead", jobs=digest(T1))],
            "acts:act-1": answer_of_act("restored"),
        },
    )


@pytest.mark.parametrize("place", ["pending", "dead", "delayed"])
def test_discard_and_restore_leave_the_job_as_it_was(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, place: str
) -> None:
    furnish(client)
    before = look()
    raw = {"pending": job("p3"), "dead": job("x2", 4), "delayed": job("d2", 1)}[place]
    score, hint = (
        (score_of(client, q, raw), 1) if place == "delayed" else (None, 2 if place == "pending" else 1)
    )
    answer = scripts.discard(
        q, address(raw, place, hint, score), Act("ann"), defaults=Policy(), trash_count=100
    )
    assert scripts.restore(q, answer.trash_id, Act("ann")) == Moved(Code.RESTORED, place)
    after = look()
    for name in ("events", "stats"):
        before.pop(name), after.pop(name)
    assert after == before


@pytest.mark.parametrize("place", [b"processing", b"nowhere", b""])
def test_a_job_from_a_workers_list_or_an_unknown_place_comes_back_to_dead(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, place: bytes
) -> None:
    trash_id = put(client, q, T1, place)
    assert scripts.restore(q, trash_id, Act("ann")) == Moved(Code.RESTORED, "dead")
    assert look()["dead"] == [T1]


def test_a_second_call_is_answered_by_the_act_or_finds_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    scripts.restore(q, TRASH_ID, ANN)
    between = look()
    repeat = Repeat(NOW, "ann", Code.RESTORED, 1)
    assert scripts.restore(q, TRASH_ID, ANN) == Moved(Code.REPEATED, repeat=repeat)
    assert scripts.restore(q, TRASH_ID, Act("bob")) == Moved(Code.GONE)
    assert look() == between


@pytest.mark.parametrize(
    "trash_id",
    [
        TRASH_ID.split("-")[0],
        "-",
        "+",
        "",
        "x",
        "0-0",
        "(1-1",
        "1-1-1",
        "99999999999999999999-1",
        TRASH_ID + "0",
    ],
)
def test_what_is_no_id_of_an_entry_restores_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, trash_id: str
) -> None:
    furnish(client)
    before = look()
    assert scripts.restore(q, trash_id, ANN) == Moved(Code.GONE)
    assert look() == before


def test_S66_a_job_that_is_delayed_again_does_not_swallow_the_restored_one(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.zadd(q.delayed, {X1: NOW + 9, X1 + b" ": NOW + 8})
    trash_id = put(client, q, X1, b"delayed", b"%.3f" % (NOW + 60))
    assert scripts.restore(q, trash_id, Act("ann")) == Moved(Code.RESTORED, "delayed")
    assert look()["delayed"] == [(X1 + b" ", NOW + 8), (X1, NOW + 9), (X1 + b"  ", NOW + 60)]


@pytest.mark.parametrize("due", [b"", b"soon", b"nan", None])
def test_an_entry_whose_due_time_was_lost_comes_back_due_now(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, due: bytes | None
) -> None:
    fields: dict[Any, Any] = {b"raw": X1, b"place": b"delayed"} | ({} if due is None else {b"due": due})
    trash_id: Any = client.xadd(q.trash, fields)
    assert scripts.restore(q, trash_id.decode(), Act("ann")) == Moved(Code.RESTORED, "delayed")
    state = look()
    assert (state["delayed"], state["trash"]) == ([(X1, NOW)], [])


def test_an_entry_without_a_job_is_left_and_nothing_moves(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    trash_id: Any = client.xadd(q.trash, {b"place": b"dead"})
    before = look()
    assert scripts.restore(q, trash_id.decode(), Act("ann")) == Moved(Code.GONE)
    assert look() == before


def test_odd_bytes_come_back_exactly(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    odd = [b"", b"\xff\x00", b"\0watchkeeper:removed", b"x" * 70_000]
    for raw in odd:
        assert scripts.restore(q, put(client, q, raw, b"pending"), Act("ann")).place == "pending"
    assert look()["pending"] == odd[::-1]
    assert client.llen(q.processing(W1)) == 0
