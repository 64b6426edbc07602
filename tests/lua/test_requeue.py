"""Requeue, the reap: a dead worker's jobs go to pending with one more attempt, or to dead."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Reaped, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import (
    BEATING,
    NOW,
    SILENT,
    TOKEN,
    W1,
    W2,
    answer_of_act,
    furnish,
    job,
)

A1, A2 = job("a1"), job("a2", 3)
DAEMON, ANN = Act("janitor"), Act("ann", "act-1")
DEFAULTS = Policy()


def tombstone(
    why: str, by: str = "janitor", beat: bytes = SILENT, held: int = 2, detail: str = ""
) -> dict[str, object]:
    """The record that a reap leaves."""
    return {
        "state": "reaped", "at": f"{NOW:.3f}", "beat": beat.decode(), "held": held, "by": by, "why": why,
        "detail": detail,
    }  # fmt: skip


def moves(*pairs: tuple[bytes, bytes]) -> str:
    """The trail of a reap's event."""
    return " ".join(f"{digest(old)}>{digest(new)}" for old, new in pairs)


@pytest.mark.parametrize("why", ["stale", "operator"])
def test_jobs_come_back_with_one_more_attempt_or_die_and_the_worker_is_gone(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, why: str
) -> None:
    furnish(client)
    before = look()
    answer = scripts.requeue(q, W1, why=why, evidence=SILENT, defaults=DEFAULTS, act=DAEMON, detail="d")
    assert answer == Reaped(Code.REAPED, 1, 1, 0)
    told = event(
        "reaped", worker=W1, by="janitor", why=why, detail="d", moved=1, dead=1,
        jobs=moves((A2, job("a2", 4)), (A1, job("a1", 1))),
    )  # fmt: skip
    assert look() == changed(
        before,
        {
            "pending": [*before["pending"], job("a1", 1)],
            "processing:w1": None,
            "heartbeats": {W2: BEATING},
            "dead": [job("a2", 4), *before["dead"]],
            "watch": None,
            "workers": {b"i:w1": b'{"pid":1}', b"t:w1": tombstone(why, detail="d")},
            "stats": before["stats"] | {b"reaped": b"1", b"dead": b"1"},
            "events": [*before["events"], told],
        },
    )


def test_a_second_call_finds_nobody(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    furnish(client)
    scripts.requeue(q, W1, why="stale", evidence=SILENT, defaults=DEFAULTS, act=DAEMON)
    between = look()
    answer = scripts.requeue(q, W1, why="stale", evidence=SILENT, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.GONE)
    assert look() == between


def test_a_repeated_act_answers_as_the_first_time_even_when_the_worker_died_again(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    scripts.requeue(q, W1, why="operator", evidence=SILENT, defaults=DEFAULTS, act=ANN)
    client.lpush(q.processing(W1), A1)
    client.hset(q.heartbeats, W1, SILENT)
    between = look()
    assert between["acts:act-1"] == answer_of_act("reaped", count=2)
    answer = scripts.requeue(
        q, W1, why="operator", evidence=SILENT, defaults=DEFAULTS, act=Act("bob", "act-1")
    )
    assert answer == Reaped(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.REAPED, 2))
    assert look() == between


def test_the_supervisors_token_reaps_at_once_and_keeps_the_heartbeat_for_a_ghost(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hset(q.heartbeats, W1, BEATING)
    before = look()
    answer = scripts.requeue(
        q,
        W1,
        why="child-exit",
        evidence=TOKEN.encode(),
        defaults=DEFAULTS,
        act=Act("supervisor"),
        detail="-9",
    )
    assert answer == Reaped(Code.REAPED, 1, 1, 0)
    told = event(
        "reaped", worker=W1, by="supervisor", why="child-exit", detail="-9", moved=1, dead=1,
        jobs=moves((A2, job("a2", 4)), (A1, job("a1", 1))),
    )  # fmt: skip
    assert look() == changed(
        before,
        {
            "pending": [*before["pending"], job("a1", 1)],
            "processing:w1": None,
            "dead": [job("a2", 4), *before["dead"]],
            "workers": before["workers"]
            | {b"t:w1": tombstone("child-exit", "supervisor", BEATING, detail="-9")},
            "stats": before["stats"] | {b"reaped": b"1", b"dead": b"1"},
            "events": [*before["events"], told],
        },
    )


@pytest.mark.parametrize("token", [b"another", b"", None])
def test_another_token_reaps_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look, token: bytes | None
) -> None:
    furnish(client)
    before = look()
    answer = scripts.requeue(q, W1, why="child-exit", evidence=token, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.ALIVE, left_count=2)
    client.hdel(q.workers, b"k:w1")
    between = look()
    answer = scripts.requeue(q, W1, why="child-exit", evidence=token, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.ALIVE, left_count=2)
    assert look() == between
    assert before["processing:w1"] == between["processing:w1"]


def test_a_list_without_heartbeat_is_adopted_by_the_daemon(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hdel(q.heartbeats, W1)
    before = look()
    answer = scripts.requeue(q, W1, why="stale", evidence=None, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.ADOPTED, left_count=2)
    between = changed(
        before,
        {
            "heartbeats": {W1: BEATING, W2: BEATING},
            "events": [*before["events"], event("adopted", worker=W1, by="janitor", count=2)],
        },
    )
    assert look() == between
    # What was adopted is somebody's for the threshold.
    answer = scripts.requeue(q, W1, why="stale", evidence=None, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.ALIVE, left_count=2)
    assert look() == between


def test_a_list_without_heartbeat_is_moved_by_an_operator(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hdel(q.heartbeats, W1)
    answer = scripts.requeue(q, W1, why="operator", evidence=None, defaults=DEFAULTS, act=ANN)
    assert answer == Reaped(Code.REAPED, 1, 1, 0)
    state = look()
    assert "processing:w1" not in state
    assert state["heartbeats"] == {W2: BEATING}
    assert state["workers"][b"t:w1"] == tombstone("operator", "ann", b"")


def test_the_entry_of_a_dead_worker_that_holds_nothing_is_forgotten(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.delete(q.processing(W1))
    before = look()
    answer = scripts.requeue(q, W1, why="stale", evidence=SILENT, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.REAPED, 0, 0, 0)
    assert look() == changed(
        before,
        {
            "heartbeats": {W2: BEATING},
            "watch": None,
            "workers": {b"i:w1": b'{"pid":1}'},
            "events": [*before["events"], event("forgotten", worker=W1, by="janitor", why="stale")],
        },
    )


def test_a_call_is_bounded_and_the_heartbeat_stays_until_the_list_is_empty(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    raws = [job(f"{n:03}") for n in range(250)]
    client.lpush(q.processing(W1), *raws)
    client.hset(q.heartbeats, W1, SILENT)
    answers = []
    while (
        answer := scripts.requeue(q, W1, why="stale", evidence=SILENT, defaults=DEFAULTS, act=DAEMON)
    ).code is Code.REAPED:
        answers.append((answer.moved_count, answer.left_count, client.hexists(q.heartbeats, W1)))
    assert answers == [(100, 150, True), (100, 50, True), (50, 0, False)]
    assert client.lrange(q.pending, 0, -1) == [job(f"{n:03}", 1) for n in reversed(range(250))]


def test_a_call_moves_about_a_megabyte(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    large = [b'{"p":"%s","attempts":%d}' % (b"x" * 400_000, n) for n in range(3)]
    client.lpush(q.processing(W1), *large, *large)
    client.hset(q.heartbeats, W1, SILENT)
    answer = scripts.requeue(q, W1, why="stale", evidence=SILENT, defaults=DEFAULTS, act=DAEMON)
    assert answer == Reaped(Code.REAPED, 3, 0, 3)


def test_any_name_is_reaped(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    names = [b"a b", b"\x00\xff", b"%d%s", b"line\nline", b'"', b" ", b"x:processing:y"]
    for name in names:
        client.lpush(q.processing(name), job("a"))
        client.hset(q.heartbeats, name, SILENT)
        client.hset(q.watch, name, b"1 2 " + SILENT)
        answer = scripts.requeue(q, name, why="stale", evidence=SILENT, defaults=DEFAULTS, act=DAEMON)
        assert answer == Reaped(Code.REAPED, 1, 0, 0)
    state = look()
    assert state["pending"] == [job("a", 1)] * len(names)
    assert set(state["workers"]) == {b"t:" + name for name in names}
    assert {"heartbeats", "watch"}.isdisjoint(state)
