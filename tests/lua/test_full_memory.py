"""A full Redis still drains: what works at maxmemory, what is refused, and that a refusal moves nothing."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
import redis

from dashboard.queue.errors import ServerRefused
from dashboard.queue.scripts import Scripts
from tests.lua.test_every_script import make_wrong, plain
from tests.support.keyspace import Keyspace, dumps, snapshot
from tests.support.script_cases import CASES, READING, Case, Q
from tests.support.server import Kind, ValkeyServer
from tests.support.standing_queue import NOW, furnish

NAMES = [case.name for case in CASES]
# They add what nobody has yet. A discard says that there is no room, and a purge makes some.
REFUSED = {"enqueue", "enqueue_at", "enqueue_once", "discard", "reschedule", "sample"}
WORKING = [case.name for case in CASES if case.script not in REFUSED]


@pytest.fixture(scope="module", params=["valkey", "redis"])
def small_server(request: pytest.FixtureRequest) -> Iterator[ValkeyServer]:
    """A server whose memory the tests may limit."""
    with ValkeyServer(cast(Kind, request.param)) as server:
        yield server


@pytest.fixture
def small(small_server: ValkeyServer) -> Iterator[redis.Redis]:
    """Its client; the queue is furnished and the memory not limited yet."""
    with small_server.client() as client:
        client.config_set("maxmemory", 0)
        client.flushall()
        furnish(client)
        yield client


def fill_memory(client: redis.Redis) -> None:
    """From now on every command that may need memory is refused."""
    client.config_set("maxmemory", 1)
    with pytest.raises(redis.exceptions.OutOfMemoryError):
        client.set("anything", "1")


def needed(client: redis.Redis, case: Case) -> Keyspace:
    """The keys that a script insists on."""
    state = snapshot(client, Q)
    return {part: value for part, value in state.items() if Q.queue + b":" + part.encode() in case.needs}


@pytest.mark.parametrize("name", WORKING)
def test_at_full_memory_works(small: redis.Redis, name: str) -> None:
    case = CASES[NAMES.index(name)]
    answer = plain(case.call(Scripts(small, now=NOW)))
    wanted = needed(small, case)
    for spoils_stats in (False, True):
        small.config_set("maxmemory", 0)
        small.flushall()
        furnish(small)
        if spoils_stats:
            make_wrong(small, Q.stats, "string")
        fill_memory(small)
        assert plain(case.call(Scripts(small, now=NOW))) == answer
        assert needed(small, case) == wanted


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WORKING)))
def test_at_full_memory_is_refused_with_nothing_moved(small: redis.Redis, name: str) -> None:
    case = CASES[NAMES.index(name)]
    before = dumps(small)
    fill_memory(small)
    with pytest.raises(ServerRefused) as caught:
        case.call(Scripts(small, now=NOW))
    assert caught.value.code == "OOM"
    assert str(caught.value) == "Redis is out of memory (OOM) and refused the write. Nothing was moved."
    assert dumps(small) == before


def test_at_full_memory_pages_are_read(small: redis.Redis) -> None:
    expected = [call(Scripts(small)) for _, call, _ in READING]
    fill_memory(small)
    assert [call(Scripts(small)) for _, call, _ in READING] == expected


def test_S67_a_full_queue_drains_and_its_worker_stays_alive(small: redis.Redis) -> None:
    scripts = Scripts(small, now=NOW)
    fill_memory(small)
    done: list[bytes] = []
    call, raws = 1, scripts.claim(Q, b"w", 2).raws
    while raws:
        assert scripts.beat(Q, b"w", token="t").held_count == len(raws)
        answer = scripts.settle(Q, b"w", call, raws, 2)
        assert answer.lost == []
        done, raws, call = done + raws, answer.raws, call + 1
    assert len(done) == 3
    state: Any = snapshot(small, Q)
    assert {"pending", "processing:w"}.isdisjoint(state)
    assert state["heartbeats"][b"w"] == b"%d" % NOW
