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


@pytest.fixture(params=[Fault.WHOLE, Fault.HALF], ids=lambda fault: fault.name.lower())
def cut(request: pytest.FixtureRequest) -> Fault:
    """The faults after which the server has done what it was asked, for histories that take long."""
    one: Fault = request.param
    return one


@pytest.fixture(autouse=True)
def no_pause_after_a_failed_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """A console asks again at once, not for a second later: the runs of these tests are short."""
    monkeypatch.setattr("dashboard.inspector.collector.REFUSED_SECONDS", 0.0)
