"""A console whose user of Redis may not do everything says what is refused and what is off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.inspector.snapshots import Finding
from tests.inspector.jobs import job
from tests.support.keyspace import dumps
from tests.support.processes import wait_until
from tests.support.redis_user import client_of_user, make_user
from tests.support.server import ValkeyServer

Open = Callable[..., Inspector]


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    """A server whose users the tests change."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def admin(server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client that may do everything; one job is dead."""
    with server.client() as client:
        client.flushall()
        client.rpush("mail:dead", job("x"))
        yield client


@pytest.fixture
def opened(server: ValkeyServer, admin: redis.Redis) -> Iterator[Open]:
    """Makes a console's reader for a user without one command; all are ended with the test."""
    made: list[Inspector] = []

    def open_(keys: str, without: str = "") -> Inspector:
        make_user(admin, keys, without=without)
        made.append(Inspector(client_of_user(server), queues=["mail"], collect_every_seconds=0.05))
        return made[-1]

    yield open_
    for inspector in made:
        inspector.close()


def said(inspector: Inspector) -> dict[str, Finding]:
    """The findings about permissions, by their codes."""
    return {one.code: one for one in inspector.overview().findings if one.code in ("denied", "off")}


def test_S57_the_index_that_is_off_is_a_note(opened: Open, admin: redis.Redis) -> None:
    inspector = opened("mail:*")
    before = dumps(admin)
    found = wait_until(lambda: said(inspector), 10, "the console has asked")
    assert set(found) == {"off"}
    assert found["off"].severity == "note"
    assert found["off"].sentence == "This console works without SSCAN"
    assert found["off"].detail == (
        "Redis does not allow it, so the index of queues is off: name the queues in the settings."
    )
    assert {key: value for key, value in dumps(admin).items() if key != b"mail:watch"} == before


def test_a_command_that_acts_need_is_named_when_it_is_denied(opened: Open) -> None:
    inspector = opened("*", "LSET")
    found = wait_until(lambda: said(inspector), 10, "the console has asked")
    assert set(found) == {"denied"}
    assert found["denied"].severity == "note"
    assert found["denied"].sentence == "Redis does not allow this console LSET"


def test_a_console_that_may_do_everything_says_nothing_and_asks_seldom(
    opened: Open, admin: redis.Redis
) -> None:
    inspector = opened("*")
    admin.config_resetstat()
    inspector.overview()
    wait_until(lambda: "cmdstat_discard" in admin.info("commandstats"), 10, "it has asked")
    first = inspector.overview().now
    wait_until(lambda: inspector.overview().now > first + 1, 10, "several passes went by")
    assert said(inspector) == {}
    assert admin.info("commandstats")["cmdstat_discard"]["calls"] == 1
