"""The reading scripts: declared keys only, nothing written, any type answered, no answer twice different."""

from __future__ import annotations

import pytest
import redis

from dashboard.inspector.reading import LUA_DIR, lua
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import FIELD_NAMES
from tests.inspector.jobs import beat, hold, job
from tests.inspector.test_bad_data import MAKERS
from tests.support.keyspace import dumps
from tests.support.monitor import Monitor
from tests.support.server import ValkeyServer

Q = QueueKeys("mail")
SURVEYED = (Q.heartbeats, Q.policy, Q.watch, Q.workers, Q.stats, Q.pending, Q.delayed, Q.dead)

CALLS: dict[str, tuple[tuple[bytes, ...], tuple[bytes | str | int, ...]]] = {
    "depths": ((Q.pending, Q.delayed, Q.dead, Q.heartbeats), ("",)),
    "lengths": ((Q.processing(b"w"), Q.processing(b"none")), ()),
    "survey": (SURVEYED, (100, 2_048, len(FIELD_NAMES), *FIELD_NAMES, "enqueued", "acked")),
    "hash_part": ((Q.heartbeats,), ("0", 100)),
    "holders": ((Q.heartbeats, Q.workers, Q.processing(b"w")), (2_048, 1, b"w")),
    "find": ((Q.pending,), ("a", 0, 99, 2_048, 20, 0, "")),
    "trash": ((Q.trash,), ("+", 10, 2_048)),
}
KEYS = sorted({key for keys, _ in CALLS.values() for key in keys})


@pytest.fixture
def furnished(redis_client: redis.Redis) -> redis.Redis:
    """A queue with something in each key."""
    redis_client.rpush("mail:pending", job("a"), b"\xff", b"")
    redis_client.rpush("mail:dead", job("b"))
    redis_client.zadd("mail:delayed", {job("c"): 5})
    beat(redis_client, "mail", "w")
    hold(redis_client, "mail", "w", job("d"))
    redis_client.hset("mail:policy", "managed", "1")
    redis_client.hset("mail:workers", mapping={"i:w": "{}", "t:old": "{}"})
    redis_client.hset("mail:stats", "enqueued", 4)
    redis_client.xadd("mail:trash", {"raw": job("e"), "place": "dead"})
    return redis_client


def call(client: redis.Redis, name: str) -> object:
    keys, args = CALLS[name]
    return client.eval(lua(name).text, len(keys), *keys, *args)


def test_every_script_is_tried_here() -> None:
    assert {path.stem for path in LUA_DIR.glob("*.lua")} == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_script_touches_its_declared_keys_only_and_writes_nothing(
    valkey_server: ValkeyServer, furnished: redis.Redis, name: str
) -> None:
    before = dumps(furnished)
    with Monitor(furnished) as monitor:
        call(furnished, name)
        seen = monitor.seen()
    commands = [one.words for one in seen if one.in_script and one.words[0].upper() != b"TIME"]
    assert commands
    assert {words[1] for words in commands} <= set(CALLS[name][0])
    assert dumps(furnished) == before


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"depths"}))
def test_a_second_call_answers_the_same(furnished: redis.Redis, name: str) -> None:
    assert call(furnished, name) == call(furnished, name)


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"hash_part"}))
def test_a_key_of_any_type_gets_an_answer_and_stays_as_it_was(
    redis_client: redis.Redis, name: str, made: str
) -> None:
    for key in KEYS:
        MAKERS[made](redis_client, key.decode())
    before = dumps(redis_client)
    call(redis_client, name)
    assert dumps(redis_client) == before


def test_depths_tells_a_key_of_another_type_from_an_empty_one(redis_client: redis.Redis) -> None:
    redis_client.rpush("mail:delayed", "odd")
    redis_client.set("mail:heartbeats", "odd")
    keys, args = CALLS["depths"]
    answer = redis_client.eval(lua("depths").text, 4, *keys, "7.5")
    assert answer == [b"7.5", b"0,-1,-1,0,-1"]
    assert args == ("",)


def test_depths_counts_what_is_due_by_the_given_instant(redis_client: redis.Redis) -> None:
    redis_client.zadd("mail:delayed", {"a": 5, "b": 10, "c": 10.5, "d": float("-inf")})
    keys, _ = CALLS["depths"]
    answer = redis_client.eval(lua("depths").text, 4, *keys, "10")
    assert answer == [b"10", b"0,4,3,0,-2"]
