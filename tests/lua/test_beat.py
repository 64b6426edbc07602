"""Beat: a worker says that it lives, and learns the time, what it holds, and whether the queue is paused."""

import redis

from dashboard.queue.answers import Beat, Code
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed
from tests.support.standing_queue import BEATING, NOW, W1, W2, furnish


def test_a_beat_writes_whole_seconds_and_marks_the_queue_as_managed(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.beat(q, W1) == Beat(Code.BEAT, NOW, 2, False)
    assert look() == changed(
        before,
        {
            "heartbeats": before["heartbeats"] | {W1: BEATING},
            "policy": before["policy"] | {b"managed": b"1"},
        },
    )


def test_records_are_written_where_they_are_given(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    assert scripts.beat(q, W2, token="t", record=b'{"pid":2}', busy=b'{"jobs":[]}') == Beat(
        Code.BEAT, NOW, 0, False
    )
    assert look() == {
        "heartbeats": {W2: BEATING},
        "policy": {b"managed": b"1"},
        "workers": {b"k:w2": b"t", b"i:w2": b'{"pid":2}', b"b:w2": b'{"jobs":[]}'},
    }


def test_a_second_beat_changes_nothing_but_the_time(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    scripts.beat(q, W2, token="t")
    between = look()
    assert scripts.beat(q, W2, token="t").now == NOW
    assert look() == between
    assert Scripts(client, now=NOW + 5).beat(q, W2).now == NOW + 5
    assert look() == changed(between, {"heartbeats": {W2: b"%d" % (NOW + 5)}})


def test_a_queue_that_an_operator_took_from_the_daemons_stays_his(
    scripts: Scripts, client: redis.Redis, q: QueueKeys
) -> None:
    client.hset(q.policy, "managed", "0")
    scripts.beat(q, W2)
    assert client.hget(q.policy, "managed") == b"0"


def test_a_pause_is_told(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.hset(q.policy, "paused", "1")
    assert scripts.beat(q, W2).paused is True


def test_the_servers_clock_counts_where_no_other_is_given(client: redis.Redis, q: QueueKeys) -> None:
    seconds, _ = client.time()
    answer = Scripts(client).beat(q, W2)
    assert seconds <= answer.now < seconds + 60
    assert client.hget(q.heartbeats, W2) == b"%d" % answer.now


def test_any_name_beats(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    names = [b"a b", b"\x00\xff", b"%d%s", b"line\nline", b"x:processing:y", b"*?[]", b" "]
    for name in names:
        scripts.beat(q, name, token="t")
    state = look()
    assert state["heartbeats"] == dict.fromkeys(names, BEATING)
    assert state["workers"] == {b"k:" + name: b"t" for name in names}
