"""Requeue changes the counter's digits and no other byte, and sends to dead unchanged what it cannot read."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Reaped
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.support.standing_queue import NOW, SILENT, W1, job

DAEMON = Act("janitor")
REST = rb'"payload":{"a":[],"n":9007199254740993,"f":0.1234567890123456,"z":1.0,"s":"\u00e9\/"}'
DEEP = b"[" * 5000 + b"]" * 5000

S1: dict[str, tuple[bytes, bytes]] = {
    "as the producer writes it": (
        b'{"id":"1",%s,"attempts":0}' % REST,
        b'{"id":"1",%s,"attempts":1}' % REST,
    ),
    "another order": (b'{"attempts":0,%s,"id":"1"}' % REST, b'{"attempts":1,%s,"id":"1"}' % REST),
    "spaces": (
        b' {\t"id" : "1" ,\n %s , "attempts" : 0 \r\n} ' % REST,
        b' {\t"id" : "1" ,\n %s , "attempts" : 1 \r\n} ' % REST,
    ),
    "a deep array": (
        b'{"id":"1","p":%s,"attempts":0,%s}' % (DEEP, REST),
        b'{"id":"1","p":%s,"attempts":1,%s}' % (DEEP, REST),
    ),
    "attempts twice": (
        b'{"attempts":7,%s,"attempts":0}' % REST,
        b'{"attempts":7,%s,"attempts":1}' % REST,
    ),
    "an escaped key": (
        rb'{"id":"1","\u0061ttempts":0,%s}' % REST,
        rb'{"id":"1","\u0061ttempts":1,%s}' % REST,
    ),
    "a nested one": (
        b'{"attempts":0,"p":{"attempts":9},%s}' % REST,
        b'{"attempts":1,"p":{"attempts":9},%s}' % REST,
    ),
    "none at all": (b'{"id":"1",%s}' % REST, b'{"id":"1",%s,"attempts":1}' % REST),
    "an id that no double holds": (
        b'{"id":12345678901234567890,"payload":{"a":[],"f":0.1234567890123456789},"attempts":0}',
        b'{"id":12345678901234567890,"payload":{"a":[],"f":0.1234567890123456789},"attempts":1}',
    ),
    "a job without an id": (b"{}", b'{"attempts":1}'),
}
UNREADABLE = [
    b"not json",
    b"[]",
    b"\xff\x00",
    b'{"attempts":"x"}',
    b"",
    b'{"attempts":true}',
    b'{"attempts":1.0}',
    b'{"id":1,"attempts":1',
    b"\0watchkeeper:removed",
]


def reap(scripts: Scripts, client: redis.Redis, q: QueueKeys, raws: list[bytes], defaults: Policy) -> Reaped:
    """Let W1 hold these jobs, oldest first, and reap it."""
    client.lpush(q.processing(W1), *raws)
    client.hset(q.heartbeats, W1, SILENT)
    return scripts.requeue(q, W1, why="stale", evidence=SILENT, defaults=defaults, act=DAEMON)


@pytest.mark.parametrize("name", S1)
def test_S1_one_number_changes(each_client: redis.Redis, q: QueueKeys, name: str) -> None:
    raw, bumped = S1[name]
    answer = reap(Scripts(each_client, now=NOW), each_client, q, [raw], Policy())
    assert answer == Reaped(Code.REAPED, 1, 0, 0)
    assert each_client.lrange(q.pending, 0, -1) == [bumped]
    assert not each_client.exists(q.processing(W1), q.heartbeats, q.dead)


@pytest.mark.parametrize("raw", UNREADABLE, ids=repr)
def test_S29_what_cannot_be_counted_arrives_unchanged_in_dead(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, raw: bytes
) -> None:
    answer = reap(scripts, client, q, [job("good"), raw, job("better")], Policy())
    assert answer == Reaped(Code.REAPED, 2, 1, 0)
    assert client.lrange(q.dead, 0, -1) == [raw]
    assert client.lrange(q.pending, 0, -1) == [job("better", 1), job("good", 1)]
    assert not client.exists(q.processing(W1))


def test_a_dying_job_carries_its_last_attempt(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    raws = [job("a", 2), job("b", 3), job("c", 10**20)]
    assert reap(scripts, client, q, raws, Policy(max_attempts=3)) == Reaped(Code.REAPED, 1, 2, 0)
    assert client.lrange(q.pending, 0, -1) == [job("a", 3)]
    assert client.lrange(q.dead, 0, -1) == [
        job("b", 4),
        b'{"id":"c","payload":{"n":1},"attempts":%d}' % (10**20 + 1),
    ]


@pytest.mark.parametrize(
    ("stored", "in_force"),
    [
        *[("0", 0), ("5", 5), (" 7 ", 7), ("+6", 6), ("007", 7), ("1000000", 1_000_000)],
        *[
            (odd, 3)
            for odd in ("nan", "inf", "0x10", "", "1e400", "1e1", "3.5", "-1", "1000001", "7_0", "x", "5\x00")
        ],
    ],
)
def test_the_limit_of_the_policy_counts_where_it_is_one(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, stored: str, in_force: int
) -> None:
    client.hset(q.policy, "max_attempts", stored)
    raws = [job("last", in_force - 1), job("over", in_force)] if in_force else [job("over", 0)]
    answer = reap(scripts, client, q, raws, Policy(max_attempts=3))
    assert (answer.moved_count, answer.dead_count) == (len(raws) - 1, 1)
    policy = Policy.read(client, q, Policy(max_attempts=3))
    assert policy.max_attempts == in_force, "policy.py reads it as the script does"
    assert bool(policy.faults) == (in_force == 3), "and says what it did not obey"


def test_each_kind_of_job_keeps_its_place_in_the_order(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.lpush(q.pending, job("waiting"))
    raws = [job("1"), b"bad 2", job("3"), job("4", 9), job("5"), job("5")]
    reap(scripts, client, q, raws, Policy())
    claimed = scripts.claim(q, b"heir", 10).raws
    assert claimed == [job("1", 1), job("3", 1), job("5", 1), job("5", 1), job("waiting")]
    assert client.lrange(q.dead, 0, -1) == [b"bad 2", job("4", 10)]
