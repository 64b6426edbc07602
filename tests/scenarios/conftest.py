"""Fixtures: the scripts over every server, protocol and way of decoding."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from dashboard.queue.scripts import Scripts
from tests.queue.running import Client
from tests.support.server import ValkeyServer
from tests.support.standing_queue import NOW


@pytest.fixture
def client(each_client: Client) -> Client:
    """A plain client of each emptied server, to set up and to look with."""
    return each_client


@pytest.fixture(
    params=[(protocol, decode) for protocol in (2, 3) for decode in (False, True)],
    ids=["RESP2", "RESP2-text", "RESP3", "RESP3-text"],
)
def wire(request: pytest.FixtureRequest, each_server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client of each server by each protocol, one of which gives text where it can."""
    protocol, decode = request.param
    with each_server.client(protocol=protocol, decode_responses=decode) as one:
        yield one


@pytest.fixture
def scripts(wire: redis.Redis) -> Scripts:
    """The scripts over that client, for whom it is NOW."""
    return Scripts(wire, now=NOW)
