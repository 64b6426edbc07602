"""Promote: due jobs to the left of pending in due order, or one given job to the right, to run next."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Promoted, Repeat
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, address, answer_of_act, furnish, job

D1, D2 = job("d1", 1), job("d2", 1)
DAEMON, ANN = Act("janitor"), Act("ann", "act-1")


def score_of(client: redis.Redis, q: QueueKeys, raw: bytes) -> bytes:
    """A member's score as the text that Redis gives."""
    return dict(pairs(client, q))[raw]


def pairs(client: redis.Redis, q: QueueKeys) -> list[tuple[bytes, bytes]]:
    """Members with their scores as text."""
    flat = client.execute_command("ZRANGE", q.delayed, 0, -1, "WITHSCORES")  # type: ignore[no-untyped-call]
    return list(zip(flat[::2], flat[1::2], strict=True))


def test_a_daemon_moves_what_is_due_and_the_stats_keep_its_pass(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.promote_due(q, act=DAEMON) == Promoted(Code.PROMOTED, 1, NOW + 60)
    assert look() == changed(
        before,
        {
            "pending": [D1, *before["pending"]],
            "delayed": [(D2, NOW + 60)],
            "stats": before["stats"] | {b"promoted": b"1", b"promoted_at": b"%.3f" % NOW},
            "events": [*before["events"], event("promoted", by="janitor", count=1, jobs=digest(D1))],
        },
    )


def test_a_second_pass_finds_nothing_due(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    scripts.promote_due(q, act=DAEMON)
    between = look()
    assert scripts.promote_due(q, act=DAEMON) == Promoted(Code.PROMOTED, 0, NOW + 60)
    assert look() == between


def test_nothing_is_due_in_a_missing_set(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.promote_due(q, act=Act("ann")) == Promoted(Code.PROMOTED, 0, None)
    assert look() == {"stats": {b"promoted_at": b"%.3f" % NOW}}


def test_an_operators_act_is_answered_once(client: redis.Redis, q: QueueKeys, look: Look) -> None:
    furnish(client)
    before = look()
    assert Scripts(client, now=NOW).promote_due(q, act=ANN) == Promoted(Code.PROMOTED, 1, NOW + 60)
    between = look()
    assert between["acts:act-1"] == answer_of_act("promoted")
    assert between["stats"] == before["stats"] | {b"promoted": b"1"}
    again = Scripts(client, now=NOW + 100).promote_due(q, act=Act("bob", "act-1"))
    assert again == Promoted(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.PROMOTED, 1))
    assert look() == between


def test_due_order_is_kept_and_the_limit_too(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    dues = {b"c": NOW - 1, b"a": float("-inf"), b"b": -1.5, b"d": NOW, b"e": NOW + 0.001, b"f": float("inf")}
    client.zadd(q.delayed, dues)
    assert scripts.promote_due(q, act=DAEMON, limit=3) == Promoted(Code.PROMOTED, 3, NOW)
    assert look()["pending"] == [b"c", b"b", b"a"]
    assert scripts.promote_due(q, act=DAEMON, limit=3) == Promoted(Code.PROMOTED, 1, NOW + 0.001)
    assert look()["pending"] == [b"d", b"c", b"b", b"a"]
    later = Scripts(client, now=NOW + 9).promote_due(q, act=DAEMON)
    assert later == Promoted(Code.PROMOTED, 1, float("inf"))


def test_thousands_of_one_score_move_in_bounded_calls(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    raws = [b"%05d" % n for n in range(2500)]
    client.zadd(q.delayed, dict.fromkeys(raws, NOW - 1))
    counts = []
    while (answer := scripts.promote_due(q, act=DAEMON, limit=1000)).count:
        counts.append(answer.count)
    assert counts == [1000, 1000, 500]
    assert client.lrange(q.pending, 0, -1) == raws[::-1]


def test_a_call_moves_about_a_megabyte(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.zadd(q.delayed, {b"%d" % n + b"x" * 400_000: n for n in range(5)})
    assert scripts.promote_due(q, act=DAEMON).count == 3


def test_one_given_job_runs_next_however_far_its_due_time(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    seen = address(D2, "delayed", 1, score_of(client, q, D2))
    assert scripts.promote_one(q, seen, ANN) == Promoted(Code.PROMOTED, 1, NOW - 60)
    assert look() == changed(
        before,
        {
            "pending": [*before["pending"], D2],
            "delayed": [(D1, NOW - 60)],
            "stats": before["stats"] | {b"promoted": b"1"},
            "events": [*before["events"], event("promoted", by="ann", count=1, jobs=digest(D2))],
            "acts:act-1": answer_of_act("promoted"),
        },
    )


def test_one_given_job_moves_once(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    furnish(client)
    seen = address(D2, "delayed", 1, score_of(client, q, D2))
    scripts.promote_one(q, seen, ANN)
    between = look()
    repeat = Repeat(NOW, "ann", Code.PROMOTED, 1)
    assert scripts.promote_one(q, seen, ANN) == Promoted(Code.REPEATED, repeat=repeat)
    assert scripts.promote_one(q, seen, Act("ann")).code is Code.GONE
    assert look() == between


@pytest.mark.parametrize("hint", [0, 1, 5, 999_999_999_999])
def test_a_job_is_found_by_its_score_whatever_its_rank(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, hint: int
) -> None:
    client.zadd(q.delayed, {b"%04d" % n: NOW + 5.5 for n in range(900)})
    wanted = b"0850"
    seen = address(wanted, "delayed", hint, score_of(client, q, wanted))
    assert scripts.promote_one(q, seen, Act("ann")).count == 1
    assert client.lrange(q.pending, 0, -1) == [wanted]


@pytest.mark.parametrize("score", ["inf", "-inf", "-1.5", "1e300", "1e-7", "0.1", "1700000000.1234567"])
def test_a_job_with_any_score_is_found_on_every_server(
    each_client: redis.Redis, q: QueueKeys, score: str
) -> None:
    each_client.zadd(q.delayed, {b"x": 1, b"y": score, b"z": 2})
    seen = address(b"y", "delayed", 700, score_of(each_client, q, b"y"))
    assert Scripts(each_client, now=NOW).promote_one(q, seen, Act("ann")).count == 1
    assert each_client.lrange(q.pending, 0, -1) == [b"y"]


def test_a_job_that_was_given_another_due_time_is_not_the_one_that_was_seen(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    seen = address(D2, "delayed", 1, score_of(client, q, D2))
    client.zadd(q.delayed, {D2: NOW + 61})
    before = look()
    assert scripts.promote_one(q, seen, Act("ann")) == Promoted(Code.GONE, 0, None)
    assert look() == before
