"""Fixtures: a proxy before the shared server, and the faults to try."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.every_reply import FAULTS
from tests.queue.running import Client
from tests.support.proxy import Fault, Proxy
from tests.support.server import ValkeyServer


@pytest.fixture
def proxy(valkey_server: ValkeyServer, redis_client: Client) -> Iterator[Proxy]:
    """A proxy before the shared, emptied Valkey."""
    with Proxy(valkey_server.port) as one:
        yield one


@pytest.fixture(params=FAULTS, ids=lambda fault: fault.name.lower())
def fault(request: pytest.FixtureRequest) -> Fault:
    """Each of the faults."""
    one: Fault = request.param
    return one
