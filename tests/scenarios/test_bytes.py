"""S1, S25, S29: what becomes of bytes that were made to be damaged."""

from __future__ import annotations

import pytest

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.job import set_attempts
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.queue.running import Client
from tests.support.standing_queue import NOW, QUEUE, SILENT, W1

DEEP = b"[" * 5000 + b"]" * 5000
PLAN = rb'{"id":"1","payload":{"a":[],"n":9007199254740993,"f":0.1234567890123456,"z":1.0,"s":"\u00e9\/"},'
COUNTED = {
    "as in the plan": (PLAN + b'"attempts":0}', PLAN + b'"attempts":1}'),
    "another order of keys": (b'{"attempts":7,"payload":[],"id":1}', b'{"attempts":8,"payload":[],"id":1}'),
    "spaces": (b'{ "id" : 1 , "attempts" : 9 }', b'{ "id" : 1 , "attempts" : 10 }'),
    "5,000 deep": (b'{"p":%s,"attempts":0}' % DEEP, b'{"p":%s,"attempts":1}' % DEEP),
    "attempts twice": (b'{"attempts":5,"attempts":1}', b'{"attempts":5,"attempts":2}'),
    "an escaped key": (b'{"\\u0061ttempts":1,"id":1}', b'{"\\u0061ttempts":2,"id":1}'),
    "a nested one": (b'{"attempts":1,"p":{"attempts":9}}', b'{"attempts":2,"p":{"attempts":9}}'),
    "none at all": (b'{"id":"\xc3\xa9"}', b'{"id":"\xc3\xa9","attempts":1}'),
    "an empty object": (b"{}", b'{"attempts":1}'),
}
NO_JOBS = [b"not json", b"[]", b"\xff\x00", b'{"attempts":"x"}', b"", b"null", b'{"attempts":1.5}']
MANY = Policy(max_attempts=1000)


@pytest.mark.parametrize("name", COUNTED)
def test_S1_a_reap_changes_the_top_level_counter_and_no_other_byte(
    client: Client, scripts: Scripts, name: str
) -> None:
    raw, counted = COUNTED[name]
    client.rpush(QUEUE.processing(W1), raw)
    client.hset(QUEUE.heartbeats, W1, SILENT)
    since = NOW - 3600
    reaped = scripts.requeue(
        QUEUE, W1, why="stale", evidence=SILENT, defaults=MANY, act=Act("janitor"), watched_since=since
    )
    assert (reaped.code, reaped.moved_count, reaped.dead_count) == (Code.REAPED, 1, 0)
    assert client.lrange(QUEUE.pending, 0, -1) == [counted]
    assert not client.exists(QUEUE.processing(W1), QUEUE.heartbeats, QUEUE.dead)


@pytest.mark.parametrize("name", [name for name in COUNTED if name != "none at all"])
def test_S1_a_retry_sets_the_counter_back_and_no_other_byte(
    client: Client, scripts: Scripts, name: str
) -> None:
    raw, _ = COUNTED[name]
    client.lpush(QUEUE.dead, raw)
    answer = scripts.revive_oldest(QUEUE, bound=1, skip=0, limit=9, act=Act("ann"))
    assert answer.moved_count == 1
    assert client.lrange(QUEUE.pending, 0, -1) == [set_attempts(raw, 0) or raw]
    assert not client.exists(QUEUE.dead)


def test_S25_the_same_bytes_delayed_again_are_reported_and_the_first_due_time_stays(
    client: Client, scripts: Scripts
) -> None:
    assert scripts.enqueue_at(QUEUE, [(b"{}", NOW + 5)]).count == 1
    answer = scripts.enqueue_at(QUEUE, [(b"{}", NOW + 99), (b'{"id":2}', NOW + 7)])
    assert (answer.count, answer.conflicts) == (1, [0])
    assert client.zrange(QUEUE.delayed, 0, -1, withscores=True) == [(b"{}", NOW + 5), (b'{"id":2}', NOW + 7)]


def test_S29_bytes_that_are_no_job_reach_dead_unchanged_from_a_worker_and_pending_from_delayed(
    client: Client, scripts: Scripts
) -> None:
    good = b'{"id":"good","attempts":0}'
    for raw in NO_JOBS:
        client.lpush(QUEUE.processing(W1), raw, good)
    client.hset(QUEUE.heartbeats, W1, SILENT)
    client.zadd(QUEUE.delayed, {raw: NOW - 9 + place for place, raw in enumerate(NO_JOBS)})
    reaped = scripts.requeue(
        QUEUE, W1, why="stale", evidence=SILENT, defaults=MANY, act=Act("janitor"), watched_since=NOW - 3600
    )
    assert (reaped.moved_count, reaped.dead_count, reaped.left_count) == (len(NO_JOBS), len(NO_JOBS), 0)
    assert sorted(client.lrange(QUEUE.dead, 0, -1)) == sorted(NO_JOBS)
    assert client.lrange(QUEUE.pending, 0, -1) == [b'{"id":"good","attempts":1}'] * len(NO_JOBS)
    client.delete(QUEUE.pending)
    assert scripts.promote_due(QUEUE, act=Act("janitor")).count == len(NO_JOBS)
    assert client.lrange(QUEUE.pending, 0, -1)[::-1] == NO_JOBS
    assert not client.exists(QUEUE.delayed, QUEUE.processing(W1))
