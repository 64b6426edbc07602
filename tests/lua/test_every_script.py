"""What holds for every script alike: wrong key types, any client, a server that forgets its scripts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis

from dashboard.queue.answers import Discarded
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.scripts import Scripts
from tests.support.cluster import Cluster
from tests.support.keyspace import Keyspace, dumps, snapshot
from tests.support.script_cases import CASES, DEDUP, READING, Case, Q
from tests.support.server import ValkeyServer
from tests.support.standing_queue import NOW, furnish

NAMES = [case.name for case in CASES]
WRONG = {"string": ("SET", "x"), "hash": ("HSET", "f", "v"), "set": ("SADD", "m"), "list": ("RPUSH", "e")}


def make_wrong(client: redis.Redis, key: bytes, kind: str) -> None:
    """Put a value of another type where a key is."""
    command, *rest = WRONG[kind]
    client.delete(key)
    client.execute_command(command, key, *rest)  # type: ignore[no-untyped-call]


def plain(answer: Any) -> Any:
    """An answer without what no two calls have in common."""
    return replace(answer, trash_id="") if isinstance(answer, Discarded) else answer


def outcome(client: redis.Redis, case: Case) -> tuple[Any, Keyspace]:
    """The answer of one call, and what the keys hold afterwards."""
    answer = case.call(Scripts(client, now=NOW))
    return plain(answer), snapshot(client, Q)


@pytest.fixture
def expected(request: pytest.FixtureRequest, client: redis.Redis) -> tuple[Any, Keyspace]:
    """What a case answers and leaves behind when nothing is odd; the queue is furnished anew afterwards."""
    case = CASES[NAMES.index(request.node.callspec.params["name"])]
    furnish(client)
    answer, state = outcome(client, case)
    assert answer.code is case.code
    client.flushdb()
    furnish(client)
    return answer, state


@pytest.mark.parametrize("name", NAMES)
def test_a_key_of_the_wrong_type_refuses_the_call_and_nothing_moves(client: redis.Redis, name: str) -> None:
    case = CASES[NAMES.index(name)]
    for key in sorted(case.needs):
        for kind in WRONG:
            client.flushdb()
            furnish(client)
            had = client.type(key)
            right = ("string",) if key in DEDUP else ("hash", "list")
            if had == kind.encode() or (had == b"none" and kind in right):
                continue
            make_wrong(client, key, kind)
            before = dumps(client)
            with pytest.raises(WrongKeyType) as caught:
                case.call(Scripts(client, now=NOW))
            assert (caught.value.key, caught.value.got) == (key, kind)
            assert dumps(client) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_record_of_the_wrong_type_stops_no_work(
    client: redis.Redis, expected: tuple[Any, Keyspace], name: str
) -> None:
    case = CASES[NAMES.index(name)]
    wanted = {part: value for part, value in expected[1].items() if is_needed(part, case)}
    for spoilt in [{key} for key in sorted(case.can_miss)] + [set(case.can_miss)]:
        for kind in ("string", "set"):
            client.flushdb()
            furnish(client)
            for key in spoilt:
                make_wrong(client, key, kind)
            answer, state = outcome(client, case)
            assert answer == expected[0]
            assert {part: value for part, value in state.items() if is_needed(part, case)} == wanted


def is_needed(part: str, case: Case) -> bool:
    """Whether a key is one that the case's script insists on."""
    return Q.queue + b":" + part.encode() in case.needs


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_forgot_its_scripts_is_told_them_again(
    client: redis.Redis, expected: tuple[Any, Keyspace], name: str
) -> None:
    client.script_flush()
    assert outcome(client, CASES[NAMES.index(name)]) == expected


@pytest.fixture(scope="module", params=["valkey_server", "debian_server"])
def any_server(request: pytest.FixtureRequest) -> ValkeyServer:
    """Each of the two servers."""
    server: ValkeyServer = request.getfixturevalue(request.param)
    return server


@pytest.fixture(
    params=[(protocol, decode) for protocol in (2, 3) for decode in (False, True)],
    ids=["RESP2", "RESP2-text", "RESP3", "RESP3-text"],
)
def any_client(request: pytest.FixtureRequest, any_server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client of each protocol, one of which gives text where it can."""
    protocol, decode = request.param
    with any_server.client(protocol=protocol, decode_responses=decode) as client:
        yield client


def test_every_script_answers_every_client_of_every_server_alike(
    any_server: ValkeyServer, any_client: redis.Redis
) -> None:
    with any_server.client() as client:
        for case in CASES:
            client.flushdb()
            furnish(client)
            answer, state = outcome(client, case)
            client.flushdb()
            furnish(client)
            assert plain(case.call(Scripts(any_client, now=NOW))) == answer, case.name
            assert snapshot(client, Q) == state, case.name
        client.flushdb()
        furnish(client)
        for name, call, _ in READING:
            assert call(Scripts(any_client)) == call(Scripts(client)), name


def test_every_script_runs_in_a_cluster_which_checks_the_keys_itself(client: redis.Redis) -> None:
    with Cluster(primary_count=1, replicas_each=0) as cluster, cluster.nodes[0].client() as node:
        for case in CASES:
            states = []
            for one in (client, node):
                one.flushdb()
                furnish(one)
                states.append(outcome(one, case))
            assert states[0] == states[1], case.name


@pytest.mark.parametrize("name", [name for name, _, _ in READING])
def test_reading_changes_nothing_and_refuses_other_types(client: redis.Redis, name: str) -> None:
    call, key = next((call, key) for listed, call, key in READING if listed == name)
    furnish(client)
    before = dumps(client)
    assert call(Scripts(client)) is not None
    assert dumps(client) == before
    make_wrong(client, key, "string")
    with pytest.raises(WrongKeyType):
        call(Scripts(client))
