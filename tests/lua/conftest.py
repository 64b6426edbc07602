"""Fixtures for the scripts: one queue, the scripts at a fixed instant, and a look at every key.

Whatever a test makes the scripts do, they may touch declared keys only: a second connection watches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis

from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.support.keyspace import Keyspace, snapshot
from tests.support.monitor import Monitor, undeclared
from tests.support.standing_queue import NOW, QUEUE

Look = Callable[[], Keyspace]


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
