"""Which queues are found: by exact suffix and type, gently, with foreign keys untouched."""

from __future__ import annotations

import pytest
import redis

from dashboard.inspector import Inspector, discovery
from dashboard.inspector.errors import QueueNotFound
from dashboard.queue.keys import REGISTRY
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import hold, job
from tests.support.keyspace import dumps
from tests.support.monitor import Monitor
from tests.support.server import ValkeyServer


def names(inspector: Inspector) -> list[bytes]:
    return sorted(queue.name for queue in inspector.overview().queues)


@pytest.mark.parametrize(
    ("part", "put"),
    [
        ("pending", lambda client, key: client.rpush(key, "x")),
        ("dead", lambda client, key: client.rpush(key, "x")),
        ("delayed", lambda client, key: client.zadd(key, {"x": 1})),
        ("heartbeats", lambda client, key: client.hset(key, "w", 1)),
        ("trash", lambda client, key: client.xadd(key, {"raw": "x"})),
        ("processing:w:1", lambda client, key: client.rpush(key, "x")),
    ],
)
def test_one_key_of_a_queue_is_enough_to_find_it(
    redis_client: redis.Redis, inspector: Inspector, part: str, put: object
) -> None:
    put(redis_client, f"mail:{part}")  # type: ignore[operator]
    assert names(inspector) == [b"mail"]


@pytest.mark.parametrize("part", ["pending", "dead", "delayed", "heartbeats", "trash", "processing:w"])
def test_a_foreign_key_with_the_suffix_and_another_type_is_no_queue(
    redis_client: redis.Redis, inspector: Inspector, part: str
) -> None:
    redis_client.set(f"theirs:{part}", "x")
    assert names(inspector) == []
    redis_client.rpush("mail:pending", "x")
    assert names(inspector) == [b"mail"]


@pytest.mark.parametrize(
    "key",
    ["mailpending", "mail:pending2", "mail:Pending", ":pending", "pending", "mail:processing:", "a:penguin"],
)
def test_a_key_that_only_looks_similar_is_no_queue(
    redis_client: redis.Redis, inspector: Inspector, key: str
) -> None:
    redis_client.rpush(key, "x")
    assert names(inspector) == []


@pytest.mark.parametrize(
    "name",
    [
        *(b"eu/mail", b"..", b"a//b", b"a b?c#d", b"50%41", "café+x".encode(), b"q\xff\x00", b"a\\b"),
        *(b"[ab]*?", b"{t}x", b"\n", b'"><h1>', b"a:b:c"),
    ],
)
def test_a_queue_of_any_bytes_is_found_and_opened_with_its_orphan(
    redis_client: redis.Redis, inspector: Inspector, name: bytes
) -> None:
    redis_client.rpush(name + b":pending", job("seen-me"))
    redis_client.rpush(name + b":processing:w*[x]\xfe", job("held"))
    assert names(inspector) == [name]
    view = inspector.queue(name)
    assert [row.id_text for row in view.lists["pending"].rows] == ["seen-me"]
    assert [row.id_text for row in view.lists["processing"].rows] == ["held"]
    assert [row.name for row in view.workers.rows] == [b"w*[x]\xfe"]


def test_a_glob_in_a_name_shows_no_other_queues_workers(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("a*:pending", job("1"))
    hold(redis_client, "abc", "theirs", job("2"))
    assert inspector.queue(b"a*").workers.rows == ()


def test_named_and_registered_queues_are_shown_while_they_are_empty(
    redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    redis_client.sadd(REGISTRY.decode(), "registered")
    inspector = make_inspector(queues=["named"])
    assert names(inspector) == [b"named", b"registered"]
    assert inspector.queue(b"named").summary.managed
    assert not inspector.queue(b"registered").summary.managed


def test_the_empty_name_in_the_registry_is_no_queue(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.sadd("watchkeeper:queues", "", "mail")
    assert [summary.name for summary in inspector.overview().queues] == [b"mail"]


def test_a_registry_of_another_type_hides_nothing(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.set(REGISTRY, "x")
    redis_client.rpush("mail:pending", "x")
    assert names(inspector) == [b"mail"]


@pytest.mark.parametrize("name", [b"nobody", b"", b"\xff" * 3_000, b'"><h1>x'])
def test_an_unknown_queue_is_said_to_be_unknown(inspector: Inspector, name: bytes) -> None:
    for read in (
        lambda: inspector.queue(name),
        lambda: inspector.jobs(name, "dead"),
        lambda: inspector.jobs(name, "processing"),
        lambda: inspector.workers(name),
        lambda: inspector.trash(name),
        lambda: inspector.job(name, None, "x"),
        lambda: inspector.reap_preview(name, b"w"),
    ):
        with pytest.raises(QueueNotFound):
            read()


def test_a_queue_that_ran_empty_leaves_the_overview(redis_client: redis.Redis, inspector: Inspector) -> None:
    redis_client.rpush("mail:pending", "x")
    assert names(inspector) == [b"mail"]
    redis_client.delete("mail:pending")
    assert names(inspector) == []


def test_a_name_with_a_reserved_segment_is_shown_as_ambiguous(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("mail:dead:pending", job("1"))
    found = inspector.overview().queues
    assert [(queue.name, queue.ambiguous) for queue in found] == [(b"mail:dead", True)]


def test_S68_a_foreign_processing_list_is_shown_as_found_and_never_touched(
    redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.rpush("x:processing:y", "theirs")
    before = dumps(redis_client)
    queue = inspector.overview().queues[0]
    assert (queue.name, queue.managed, queue.workers.orphan) == (b"x", False, 1)
    inspector.queue(b"x")
    inspector.workers()
    inspector.reap_preview(b"x", b"y")
    assert dumps(redis_client) == before


def test_a_large_database_is_searched_in_the_background_and_says_how_far(
    redis_client: redis.Redis, inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "KEYS_ON_A_PAGE", 1_000)
    monkeypatch.setattr(discovery, "SCAN_STEP", 300)
    monkeypatch.setattr(discovery, "STEPS_A_SWEEP", 1)
    pipe = redis_client.pipeline(transaction=False)
    for number in range(3_000):
        pipe.set(f"noise:{number}", 1)
    pipe.rpush("mail:pending", "x")
    pipe.execute()
    scan = inspector.overview().scan
    assert not scan.complete
    assert (scan.key_count, 0 < scan.scanned_count < 3_001) == (3_001, True)
    for _ in range(30):
        inspector.expire()
        scan = inspector.overview().scan
        if scan.complete:
            break
    assert scan.complete
    assert names(inspector) == [b"mail"]


def test_the_search_never_sends_keys_nor_reads_a_foreign_value(
    shared_server: ValkeyServer, redis_client: redis.Redis, inspector: Inspector
) -> None:
    redis_client.set("theirs:pending", "x")
    redis_client.rpush("x:processing:y", "z")
    with Monitor(shared_server.client()) as monitor:
        inspector.overview()
        inspector.queue(b"x")
        seen = monitor.seen()
    assert b"keys" not in {one.words[0].lower() for one in seen}
    about_theirs = {one.words[0].lower() for one in seen if b"theirs:pending" in one.words}
    assert about_theirs <= {b"type", b"evalsha", b"eval", b"llen", b"zcard", b"hlen"}
