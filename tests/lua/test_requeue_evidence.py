"""Requeue looks again: who is alive, unknown or watched for too short a time loses nothing."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.keys import QueueKeys
from dashboard.queue.liveness import told_at
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.support.standing_queue import NOW, SILENT, W1, furnish, job

DAEMON = Act("janitor")
STALE_AFTER = 30.0

TELLING = [
    "0",
    "-0",
    "1",
    "0.5",
    "1e3",
    " 12 ",
    "+5",
    "007",
    f"{NOW - 31:.3f}",
    f"{NOW:.0f}",
    f"{NOW + 5:.3f}",
    "1.7e9",
]
TELLING_NOTHING = [
    *(
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "NAN",
        "nan(1)",
        "0x1F",
        "1e400",
        "-1e400",
        "-5",
        "",
        " ",
        "x",
    ),
    *(
        f"{NOW * 1000:.0f}",
        f"{NOW + 5.5:.3f}",
        f"{NOW + 3600:.0f}",
        "9" * 40,
        "1,5",
        "1_000",
        "1e",
        "1 2",
        "--1",
    ),
    *("\x0012", "12\x00", "12\x00x", "\x1f12", "\xff\xfe", "١٢"),
]


def reap(scripts: Scripts, q: QueueKeys, value: bytes | None, why: str = "stale", **more: float) -> Code:
    """Ask for a reap of W1 with `value` as the heartbeat seen."""
    answer = scripts.requeue(
        q,
        W1,
        why=why,
        evidence=value,
        defaults=Policy(STALE_AFTER),
        act=DAEMON,
        **more,  # type: ignore[arg-type]
    )
    return answer.code


def hold(client: redis.Redis, q: QueueKeys, value: bytes) -> None:
    """W1 holds a job and has that heartbeat; nobody has watched it."""
    client.delete(q.pending, q.processing(W1))
    client.lpush(q.processing(W1), job("a"))
    client.hset(q.heartbeats, W1, value)


@pytest.mark.parametrize(
    "stored", [b"", b"7", b"7 ", b"7 nan", b"7 x", b"\xff", b"7 %d" % (NOW + 6), b"7 9e15", b"7 inf"]
)
def test_a_settle_record_that_makes_no_sense_is_no_sign_of_life(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, stored: bytes
) -> None:
    furnish(client)
    client.hset(q.workers, b"s:" + W1, stored)
    assert reap(scripts, q, SILENT, "operator") is Code.REAPED


@pytest.mark.parametrize("age", [0, 29.9, 30])
def test_a_heartbeat_within_the_threshold_is_a_life(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, age: float
) -> None:
    value = b"%.3f" % (NOW - age)
    hold(client, q, value)
    client.hset(q.watch, W1, b"1 2 " + value)
    assert reap(scripts, q, value) is Code.ALIVE
    assert reap(scripts, q, value, "operator") is Code.ALIVE


def test_the_threshold_of_the_policy_counts_before_the_callers(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    value = b"%.3f" % (NOW - 31)
    hold(client, q, value)
    client.hset(q.policy, "stale_after_seconds", "60")
    assert reap(scripts, q, value) is Code.ALIVE
    client.hset(q.policy, "stale_after_seconds", "10")
    assert reap(scripts, q, value) is Code.REAPED


@pytest.mark.parametrize(
    "stored", ["nan", "inf", "-inf", "0x40", "", "1e400", "-60", "0", "2.9", "x", "6_0", "\x00"]
)
def test_a_threshold_that_makes_no_sense_is_not_obeyed(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, stored: str
) -> None:
    client.hset(q.policy, "stale_after_seconds", stored)
    for age, code in [(29, Code.ALIVE), (31, Code.REAPED)]:
        value = b"%.3f" % (NOW - age)
        hold(client, q, value)
        assert reap(scripts, q, value) is code
    policy = Policy.read(client, q, Policy(STALE_AFTER))
    assert policy.stale_after_seconds == STALE_AFTER
    assert policy.faults


@pytest.mark.parametrize("value", TELLING)
def test_an_old_heartbeat_that_tells_the_time_needs_no_watch(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, value: str
) -> None:
    raw = value.encode()
    hold(client, q, raw)
    told = told_at(raw, NOW)
    assert told is not None, "liveness.py reads it as the script does"
    for why in ("stale", "operator"):
        hold(client, q, raw)
        assert reap(scripts, q, raw, why) is (Code.REAPED if NOW - told > STALE_AFTER else Code.ALIVE)


@pytest.mark.parametrize("value", TELLING_NOTHING)
def test_a_heartbeat_that_tells_nothing_must_be_watched_for_the_threshold(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, value: str
) -> None:
    raw = value.encode("latin-1", "ignore") if value.isascii() or "\xff" in value else value.encode()
    assert told_at(raw, NOW) is None, "liveness.py reads it as the script does"
    for why in ("stale", "operator"):
        hold(client, q, raw)
        client.delete(q.watch)
        assert reap(scripts, q, raw, why) is Code.WATCHED
        client.hset(q.watch, W1, b"%.3f %.3f %s" % (NOW - 29, NOW, raw))
        assert reap(scripts, q, raw, why) is Code.WATCHED
        assert client.llen(q.processing(W1)) == 1
        client.hset(q.watch, W1, b"+%.3f %.3f %s" % (NOW - 31, NOW, raw))
        assert reap(scripts, q, raw, why) is Code.REAPED


def test_a_watch_that_is_younger_than_the_threshold_holds_the_daemon_back_but_not_an_operator(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    hold(client, q, SILENT)
    client.hset(q.watch, W1, b"%.3f %.3f %s" % (NOW - 30, NOW, SILENT))
    assert reap(scripts, q, SILENT, "stale") is Code.WATCHED
    assert reap(scripts, q, SILENT, "operator") is Code.REAPED


def test_a_watch_over_another_value_tells_nothing_and_the_callers_own_knowledge_counts(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.hset(q.watch, W1, b"1 2 another")
    hold(client, q, b"garbage")
    assert reap(scripts, q, b"garbage") is Code.WATCHED
    assert reap(scripts, q, b"garbage", watched_since=NOW - 29) is Code.WATCHED
    assert reap(scripts, q, b"garbage", watched_since=NOW + 1e6) is Code.WATCHED
    assert reap(scripts, q, b"garbage", watched_since=NOW - 31) is Code.REAPED


@pytest.mark.parametrize("first", ["nan", "-nan", "inf", "-inf", "0x10", "1e400", "-1e400", "x", "1\x00"])
def test_a_watch_that_was_tampered_with_is_none(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, first: str
) -> None:
    hold(client, q, b"garbage")
    client.hset(q.watch, W1, f"{first} {NOW} garbage")
    assert reap(scripts, q, b"garbage") is Code.WATCHED
    assert client.llen(q.processing(W1)) == 1


def test_a_heartbeat_with_spaces_and_line_ends_is_compared_whole(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    value = b"a b\nc \x00 d "
    hold(client, q, value)
    client.hset(q.watch, W1, b"1 2 " + value)
    assert reap(scripts, q, value[:-1]) is Code.ALIVE
    assert reap(scripts, q, value) is Code.REAPED


def test_a_dead_childs_jobs_go_back_where_its_token_could_not_be_stored(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    furnish(client)
    client.set(q.workers, "of another type")
    assert reap(scripts, q, b"token", "child-exit") is Code.REAPED
    assert not client.exists(q.processing(W1))
    assert client.get(q.workers) == b"of another type"
