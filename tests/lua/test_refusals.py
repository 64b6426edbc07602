"""A server that refuses: nothing has moved, or a copy is there before its original leaves."""

from collections import Counter
from collections.abc import Iterator

import pytest
import redis

from dashboard.queue import lua_source
from dashboard.queue.errors import ServerRefused
from dashboard.queue.job import digest, set_attempts
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.support.keyspace import Keyspace, dumps, snapshot
from tests.support.script_cases import CASES, Case, Q
from tests.support.server import ValkeyServer
from tests.support.standing_queue import NOW, furnish

NAMES = [case.name for case in CASES]
WRITES = [
    *("lpush", "rpush", "lpop", "rpop", "lrem", "lset", "ltrim", "lmove", "zadd", "zrem", "xadd", "xdel"),
    *("xtrim", "hset", "hsetnx", "hdel", "hincrby", "set"),
]
ENDS_JOBS = {"settle", "purge"}


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    """A server of its own, whose users and configuration the tests change."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def admin(server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client that may do everything; the queue is furnished."""
    with server.client() as client:
        client.config_set("min-replicas-to-write", 0)
        client.replicaof("NO", "ONE")
        client.flushall()
        furnish(client)
        yield client


def jobs_in(state: Keyspace) -> Counter[str]:
    """Every job of the five keys and the trash by its bytes without the counter, in whatever place."""
    raws: list[bytes] = []
    for part, value in state.items():
        if part in ("pending", "dead") or part.startswith("processing:"):
            raws += value
        elif part == "delayed":
            raws += [member for member, _ in value]
        elif part == "trash":
            raws += [fields[b"raw"] for fields in value]
    return Counter(digest(set_attempts(raw, 0) or raw) for raw in raws)


def is_allowed(client: redis.Redis, case: Case) -> bool:
    """Make the call; False when the server says that this user may not."""
    try:
        case.call(Scripts(client, now=NOW))
    except ServerRefused as error:
        if error.code != "NOPERM":
            raise
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_without_enough_replicas_nothing_moves(admin: redis.Redis, name: str) -> None:
    case = CASES[NAMES.index(name)]
    before = dumps(admin)
    admin.config_set("min-replicas-to-write", 1)
    with pytest.raises(ServerRefused) as caught:
        case.call(Scripts(admin, now=NOW))
    assert caught.value.code == "NOREPLICAS"
    assert dumps(admin) == before


@pytest.mark.parametrize("name", NAMES)
def test_on_a_replica_nothing_moves(admin: redis.Redis, name: str) -> None:
    case = CASES[NAMES.index(name)]
    before = dumps(admin)
    admin.replicaof("127.0.0.1", "1")
    with pytest.raises(ServerRefused) as caught:
        case.call(Scripts(admin, now=NOW))
    assert caught.value.code == "READONLY"
    assert dumps(admin) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_user_who_may_not_give_one_of_the_commands_loses_no_job(
    server: ValkeyServer, admin: redis.Redis, name: str
) -> None:
    case = CASES[NAMES.index(name)]
    held_before = jobs_in(snapshot(admin, Q))
    text = lua_source.load(case.script).text
    for command in WRITES:
        if f"'{command.upper()}'" not in text:
            continue
        admin.flushdb()
        furnish(admin)
        allowed = ["+@all", f"-{command}"]
        admin.acl_setuser("some", enabled=True, reset=True, nopass=True, keys=["*"], commands=allowed)
        with server.client(username="some", password="x") as client:
            is_allowed(client, case)
        lost = held_before - jobs_in(snapshot(admin, Q))
        assert lost.total() <= (1 if case.script in ENDS_JOBS else 0), f"without {command}"


@pytest.mark.parametrize("key", ["pending", "dead", "delayed", "trash", "heartbeats"])
def test_a_user_without_one_of_the_keys_loses_no_job(
    server: ValkeyServer, admin: redis.Redis, key: str, q: QueueKeys
) -> None:
    parts = ["pending", "dead", "delayed", "trash", "heartbeats", "processing:*"]
    granted = [f"{{mail}}:{part}" for part in parts if part != key]
    for case in CASES:
        admin.flushdb()
        furnish(admin)
        before, held_before = dumps(admin), jobs_in(snapshot(admin, Q))
        admin.acl_setuser("some", enabled=True, reset=True, nopass=True, keys=granted, commands=["+@all"])
        with server.client(username="some", password="x") as client:
            assert is_allowed(client, case) or dumps(admin) == before, case.name
        lost = held_before - jobs_in(snapshot(admin, Q))
        assert lost.total() <= (1 if case.script in ENDS_JOBS else 0), case.name
