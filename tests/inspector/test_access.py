"""Servers that deny something: pages stand, with plain commands where scripts are denied."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.errors import ServerRefused
from tests.inspector.conftest import MakeInspector
from tests.inspector.jobs import ODD_ENTRIES, beat, hold, ids, job
from tests.inspector.test_bad_data import read_everything
from tests.support.keyspace import dumps
from tests.support.server import ValkeyServer


@pytest.fixture
def reader(valkey_server: ValkeyServer, redis_client: redis.Redis) -> Iterator[redis.Redis]:
    """A client whose user may read and nothing else: no scripts, no INFO, no CONFIG."""
    redis_client.acl_setuser(
        "reader", enabled=True, reset=True, passwords=["+pw"], keys=["*"],
        categories=["+@read", "+@connection"],
    )  # fmt: skip
    with valkey_server.client(username="reader", password="pw") as client:
        yield client
    redis_client.acl_deluser("reader")


def furnish(client: redis.Redis) -> None:
    for raw in (job("before"), *ODD_ENTRIES.values(), job("after")):
        client.rpush("mail:pending", raw)
        client.rpush("mail:dead", raw)
        client.zadd("mail:delayed", {raw: 1_790_000_000.25})
    hold(client, "mail", "w", job("held"))
    hold(client, "mail", "orphan", job("lost"))
    beat(client, "mail", "w", ago=100)
    client.xadd("mail:trash", {"raw": job("thrown"), "place": "dead", "by": "ann", "at": "5"})


def test_case_31_a_user_who_may_only_read_gets_every_page_alike(
    redis_client: redis.Redis, reader: redis.Redis, make_inspector: MakeInspector
) -> None:
    furnish(redis_client)
    before = dumps(redis_client)
    plain, scripted = make_inspector(reader), make_inspector()
    read_everything(plain)
    for place in ("pending", "processing", "delayed", "dead"):
        assert plain.jobs(b"mail", place).rows == scripted.jobs(b"mail", place).rows
    assert plain.trash(b"mail").rows == scripted.trash(b"mail").rows
    left, right = plain.overview().queues[0], scripted.overview().queues[0]
    assert left.depths == right.depths
    assert (left.workers.silent, left.workers.orphan, left.workers.held) == (1, 1, 2)
    assert [row.first_job for row in plain.workers(b"mail").rows] == ["lost", "held"]
    view = plain.job(b"mail", None, "after")
    assert view.row is not None
    assert view.row.id_text == "after"
    assert dumps(redis_client) == before


def test_a_user_who_may_nothing_is_told_what_is_denied(
    valkey_server: ValkeyServer, redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    redis_client.rpush("mail:pending", job("1"))
    redis_client.acl_setuser(
        "nobody", enabled=True, reset=True, passwords=["+pw"], categories=["+@connection"]
    )
    with valkey_server.client(username="nobody", password="pw") as client:
        inspector = make_inspector(client)
        with pytest.raises(ServerRefused) as refused:
            inspector.overview()
        assert refused.value.code == "NOPERM"
        inspector.close()
    redis_client.acl_deluser("nobody")


def test_case_127_a_missing_password_is_named(make_inspector: MakeInspector) -> None:
    with ValkeyServer(requirepass="secret") as server, server.client(password=None) as client:
        inspector = make_inspector(client)
        with pytest.raises(ServerRefused, match="NOAUTH"):
            inspector.overview()
        inspector.close()


def test_a_replica_is_read_and_says_what_it_is(make_inspector: MakeInspector) -> None:
    with ValkeyServer() as server:
        client = server.client()
        client.rpush("mail:pending", job("1"))
        client.hset("mail:policy", "managed", "1")
        beat(client, "mail", "w", ago=100)
        client.config_set("replica-read-only", "yes")
        client.replicaof("127.0.0.1", 1)
        inspector = make_inspector(client)
        view = inspector.overview()
        assert view.health.role == "slave"
        assert "replica" in {finding.code for finding in view.findings}
        assert ids(inspector.jobs(b"mail", "pending")) == ["1"]
        inspector.close()


def test_both_servers_tell_who_they_are(each_client: redis.Redis) -> None:
    inspector = Inspector(each_client)
    health = inspector.shell().health
    assert (health.server_kind, health.version.split(".")[0]) in (("Valkey", "9"), ("Redis", "7"))
    assert (health.role, health.mode, health.persistence) == ("master", "standalone", "none")
    assert health.memory_used_bytes > 0
    inspector.close()


def test_pages_are_the_same_on_debians_redis(each_client: redis.Redis) -> None:
    furnish(each_client)
    inspector = Inspector(each_client)
    read_everything(inspector)
    each_client.script_flush()
    read_everything(inspector)
    inspector.close()


def test_pages_are_the_same_over_the_newer_protocol(
    valkey_server: ValkeyServer, redis_client: redis.Redis, make_inspector: MakeInspector
) -> None:
    furnish(redis_client)
    with valkey_server.client(protocol=3) as client:
        newer, older = make_inspector(client), make_inspector()
        read_everything(newer)
        for place in ("pending", "processing", "delayed", "dead"):
            assert newer.jobs(b"mail", place).rows == older.jobs(b"mail", place).rows
        assert newer.trash(b"mail").rows == older.trash(b"mail").rows
        newer.close()
