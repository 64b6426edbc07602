"""Fixtures for all tests: one server of each kind for each test process, emptied before each test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from dashboard.inspector.collector import Collector
from tests.support.server import ValkeyServer

SERVERS = ["valkey_server", "debian_server"]
SCENARIO = re.compile(r"test_(S|exercise_)\d+_")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests that carry a scenario's number on both servers."""
    if SCENARIO.match(metafunc.function.__name__) and "shared_server" in metafunc.fixturenames:
        metafunc.parametrize("shared_server", SERVERS, indirect=True)


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    """Valkey of the wheel, shared by the tests of this process: leave it running and its config alone."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture(scope="session")
def debian_server() -> Iterator[ValkeyServer]:
    """Debian's Redis, shared by the tests of this process like `valkey_server`."""
    with ValkeyServer("redis") as server:
        yield server


@pytest.fixture
def shared_server(request: pytest.FixtureRequest) -> ValkeyServer:
    """The server of `redis_client`: Valkey, and Debian's Redis too in tests named by a scenario's number."""
    server: ValkeyServer = request.getfixturevalue(getattr(request, "param", "valkey_server"))
    return server


@pytest.fixture
def redis_client(shared_server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client (bytes, no retries) of the shared server, which is empty at the start of the test."""
    yield from emptied(shared_server)


@pytest.fixture
def redis_url(shared_server: ValkeyServer, redis_client: redis.Redis) -> str:
    """The URL of the shared, emptied server."""
    return shared_server.url


@pytest.fixture(params=SERVERS)
def each_server(request: pytest.FixtureRequest) -> Iterator[ValkeyServer]:
    """An emptied server, once the shared Valkey and once Debian's Redis: leave it running."""
    server: ValkeyServer = request.getfixturevalue(request.param)
    for _ in emptied(server):
        yield server


@pytest.fixture
def each_client(each_server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client (bytes, no retries) of `each_server`."""
    with each_server.client() as client:
        yield client


@pytest.fixture(autouse=True)
def collectors_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """End the collectors of consoles that the test made: they would go on asking in the next one."""
    made: list[Collector] = []
    initialise = Collector.__init__

    def noted(self: Collector, *args: Any, **options: Any) -> None:
        initialise(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(Collector, "__init__", noted)
    yield
    for collector in made:
        collector.close()


def emptied(server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client of a server that has just been emptied, for one test."""
    with server.client() as client:
        client.flushall()
        yield client
