"""Fixtures for the scripts: one queue, the scripts at a fixed instant, and a look at every key.

Whatever a test makes the scripts do, they may touch declared keys only: a second connection watches. So these
tests have a server of their own, which no console of another test is still asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis

from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.support.keyspace import Keyspace, snapshot
from tests.support.monitor import Monitor, undeclared
from tests.support.server import ValkeyServer
from tests.support.standing_queue import NOW, QUEUE

Look = Callable[[], Keyspace]


@pytest.fixture(scope="package")
def valkey_server() -> Iterator[ValkeyServer]:
    """Valkey of the wheel for the tests of this folder alone."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def q() -> QueueKeys:
    """The queue that the tests work on."""
    return QUEUE


@pytest.fixture
def client(redis_client: redis.Redis) -> Iterator[redis.Redis]:
    """A client of the emptied server; at the end of the test no script may have touched an undeclared key."""
    with Monitor(redis_client) as monitor:
        yield redis_client
        assert undeclared(monitor.seen()) == []


@pytest.fixture
def scripts(client: redis.Redis) -> Scripts:
    """The scripts, for whom it is NOW."""
    return Scripts(client, now=NOW)


@pytest.fixture
def look(client: redis.Redis, q: QueueKeys) -> Look:
    """Call it for a snapshot of every key."""
    return lambda: snapshot(client, q)
