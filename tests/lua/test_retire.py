"""Retire: a worker that stopped leaves the list of workers, unless jobs or a successor forbid it."""

import json

import redis

from dashboard.queue.answers import Code, Retired
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, SILENT, TOKEN, W1, W2, furnish

STOPPED = {"state": "stopped", "at": f"{NOW:.3f}", "held": 0, "why": "SIGTERM"}


def without(fields: dict[bytes, bytes], *names: bytes) -> dict[bytes, bytes]:
    """The hash without some of its fields."""
    return {name: value for name, value in fields.items() if name not in names}


def test_an_idle_worker_is_gone_and_leaves_a_record(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.delete(q.processing(W1))
    client.hset(q.workers, b"s:w1", b"1 2")
    before = look()
    assert scripts.retire(q, W1, token=TOKEN, why="SIGTERM") == Retired(Code.RETIRED, 0)
    left = without(before["workers"], b"k:w1", b"b:w1", b"s:w1")
    assert look() == changed(
        before,
        {
            "heartbeats": without(before["heartbeats"], W1),
            "watch": None,
            "workers": left | {b"t:w1": STOPPED},
            "events": [*before["events"], event("stopped", worker=W1, why="SIGTERM")],
        },
    )


def test_the_record_of_a_child_that_crashed_says_more_and_stays(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.hset(q.heartbeats, W1, SILENT)
    crashed = {"state": "reaped", "why": "child-exit"}
    client.hset(q.workers, b"t:w1", json.dumps(crashed))
    scripts.retire(q, W1, why="SIGTERM")
    assert look() == {"events": [event("stopped", worker=W1, why="SIGTERM")], "workers": {b"t:w1": crashed}}


def test_the_second_call_changes_nothing(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.delete(q.processing(W1))
    scripts.retire(q, W1, token=TOKEN)
    between = look()
    assert scripts.retire(q, W1, token=TOKEN) == Retired(Code.RETIRED, 0)
    assert look() == between


def test_S33_a_worker_that_holds_jobs_keeps_its_heartbeat(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.retire(q, W1, token=TOKEN) == Retired(Code.HOLDING, 2)
    assert look() == before


def test_a_worker_that_was_replaced_under_its_name_is_left_alone(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.delete(q.processing(W1))
    before = look()
    assert scripts.retire(q, W1, token="an older one") == Retired(Code.ALIVE, 0)
    assert look() == before


def test_without_a_token_on_either_side_there_is_nobody_to_mistake(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.hset(q.heartbeats, mapping={W1: SILENT, W2: SILENT})
    client.hset(q.workers, b"k:w1", b"somebody")
    assert scripts.retire(q, W1, token="") == Retired(Code.RETIRED, 0)
    assert scripts.retire(q, W2, token="mine") == Retired(Code.RETIRED, 0)
    assert sorted(look()) == ["events", "workers"]


def test_a_worker_that_never_beat_leaves_no_record(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.retire(q, b"never", token="t") == Retired(Code.RETIRED, 0)
    assert look() == {}


def test_any_name_retires(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    for name in [b"a b", b"\x00\xff", b"%d%s", b"line\nline", b'"']:
        client.hset(q.heartbeats, name, b"1")
        assert scripts.retire(q, name, why="%s\x00\xff").code is Code.RETIRED
        assert client.hexists(q.workers, b"t:" + name)
    assert "heartbeats" not in look()
