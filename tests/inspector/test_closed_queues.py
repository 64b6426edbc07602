"""Queues that the user of Redis may not touch are no queues for a console, and spoil no page of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.errors import ServerRefused
from dashboard.queue.keys import REGISTRY
from tests.inspector.jobs import beat, hold, ids, job
from tests.inspector.test_bad_data import read_everything
from tests.support.keyspace import dumps
from tests.support.processes import wait_until
from tests.support.redis_user import client_of_user, make_user
from tests.support.server import Kind, ValkeyServer


@pytest.fixture(scope="module", params=["valkey", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[ValkeyServer]:
    """A server whose users the tests change."""
    kind: Kind = request.param
    with ValkeyServer(kind) as server:
        yield server


@pytest.fixture
def admin(server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client that may do everything; a queue of ours stands beside one that is closed."""
    with server.client() as client:
        client.flushall()
        client.rpush("mail:pending", job("1"))
        close(client, "theirs")
        yield client


@pytest.fixture
def inspector(server: ValkeyServer, admin: redis.Redis) -> Iterator[Inspector]:
    """The reader of a console that may read the index and the keys of mail."""
    make_user(admin, "mail:*", f"~{REGISTRY.decode()}")
    inspector = Inspector(client_of_user(server), collect_every_seconds=0.1)
    yield inspector
    inspector.close()


def close(client: redis.Redis, queue: str) -> None:
    """Make a queue of others, with something in every place."""
    client.rpush(f"{queue}:pending", job("x"))
    client.rpush(f"{queue}:dead", job("x"))
    client.zadd(f"{queue}:delayed", {job("x"): 1})
    hold(client, queue, "w", job("x"))
    beat(client, queue, "w", ago=100)


def names(inspector: Inspector) -> list[bytes]:
    """The queues of the overview."""
    return [queue.name for queue in inspector.overview().queues]


def test_a_closed_queue_that_the_scan_meets_is_passed_over(inspector: Inspector, admin: redis.Redis) -> None:
    before = dumps(admin)
    assert names(inspector) == [b"mail"]
    read_everything(inspector, b"mail")
    assert ids(inspector.jobs(b"mail", "pending")) == ["1"]
    assert inspector.workers().rows == ()
    assert dumps(admin) == before


def test_a_closed_queue_that_the_index_names_is_passed_over_and_open_ones_are_shown(
    inspector: Inspector, admin: redis.Redis
) -> None:
    admin.sadd(REGISTRY, "theirs", "absent", "mail", "mail:archive")
    assert names(inspector) == [b"mail", b"mail:archive"]
    read_everything(inspector, b"mail")


def test_queues_that_appear_while_somebody_looks_are_told_apart_at_once(
    inspector: Inspector, admin: redis.Redis
) -> None:
    assert names(inspector) == [b"mail"]
    for number in range(5):
        close(admin, f"others{number}")
        admin.sadd(REGISTRY, f"others{number}")
        admin.rpush(f"mail:{number}:dead", job("d"))
        shown = wait_until(lambda: names(inspector), 5, "the overview stands")
        assert f"mail:{number}".encode() in shown
        assert all(name.startswith(b"mail") for name in shown)


def test_scripts_are_not_taken_for_denied_because_a_key_is(inspector: Inspector, admin: redis.Redis) -> None:
    close(admin, "more")
    names(inspector)
    admin.config_resetstat()
    inspector.overview()
    assert "cmdstat_evalsha" in admin.info("commandstats")


def test_a_queue_of_the_settings_that_is_closed_is_told_as_denied(
    server: ValkeyServer, admin: redis.Redis
) -> None:
    make_user(admin, "mail:*")
    inspector = Inspector(client_of_user(server), queues=["theirs"])
    with pytest.raises(ServerRefused) as refused:
        inspector.jobs(b"theirs", "pending")
    assert refused.value.code == "NOPERM"
    inspector.close()
