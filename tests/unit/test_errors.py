"""What servers refuse becomes our errors: every refusal here was given by a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import pytest
import redis

from dashboard.queue.errors import (
    AmbiguousQueue,
    BadName,
    OutcomeUnknown,
    QueueError,
    ReservedName,
    ServerAway,
    ServerError,
    ServerRefused,
    WrongKeyType,
    translated,
)
from tests.support.server import Kind, ValkeyServer

SET_IN_SCRIPT = "return redis.call('SET', KEYS[1], '1')"


@pytest.fixture(scope="module", params=["valkey", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[ValkeyServer]:
    """A server whose configuration the tests change."""
    with ValkeyServer(cast(Kind, request.param)) as server:
        yield server


@pytest.fixture
def admin(server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client that may do everything, on a server as it was started."""
    with server.client() as client:
        client.flushall()
        yield client
        for name, value in [
            ("maxmemory", 0),
            ("min-replicas-to-write", 0),
            ("replica-serve-stale-data", "yes"),
        ]:
            client.config_set(name, value)
        client.replicaof("NO", "ONE")


def refusal_of(call: Callable[[], object]) -> ServerError:
    """The error that a call raises under `translated`."""
    with pytest.raises(ServerError) as caught, translated():
        call()
    return caught.value


def error_of(call: Callable[[], object]) -> ServerError | None:
    """The error that a call raises under `translated`, or None."""
    try:
        with translated():
            call()
    except ServerError as error:
        return error
    return None


def both_ways(client: redis.Redis) -> list[Callable[[], object]]:
    """The same write as a plain command and inside a script."""
    return [lambda: client.set("mail:x", "1"), lambda: client.eval(SET_IN_SCRIPT, 1, "mail:x")]


def refusals(client: redis.Redis) -> list[tuple[str, str]]:
    """Code and sentence of a write's refusal, as a command and inside a script."""
    found = []
    for call in both_ways(client):
        error = refusal_of(call)
        assert isinstance(error, ServerRefused)
        found.append((error.code, str(error)))
    return found


def test_out_of_memory(admin: redis.Redis) -> None:
    admin.config_set("maxmemory", 1)
    sentence = "Redis is out of memory (OOM) and refused the write. Nothing was moved."
    assert refusals(admin) == [("OOM", sentence)] * 2


def test_too_few_replicas(admin: redis.Redis) -> None:
    admin.config_set("min-replicas-to-write", 1)
    sentence = "Redis has too few replicas and refuses writes (NOREPLICAS). Nothing was changed."
    assert refusals(admin) == [("NOREPLICAS", sentence)] * 2


def test_a_replica(admin: redis.Redis) -> None:
    admin.replicaof("127.0.0.1", "1")
    sentence = "This Redis is a read-only replica (READONLY). Nothing was changed."
    assert refusals(admin) == [("READONLY", sentence)] * 2


def test_a_replica_without_its_master_passes_by_itself(admin: redis.Redis) -> None:
    admin.replicaof("127.0.0.1", "1")
    admin.config_set("replica-serve-stale-data", "no")
    for call in (lambda: admin.get("x"), lambda: admin.eval("return redis.call('GET', KEYS[1])", 1, "x")):
        error = refusal_of(call)
        assert isinstance(error, ServerAway)
        assert str(error) == "Redis cannot answer now (MASTERDOWN)."


def test_a_user_who_may_not(server: ValkeyServer, admin: redis.Redis) -> None:
    admin.acl_setuser(
        "some", enabled=True, reset=True, nopass=True, keys=["mail:*"], commands=["+@all", "-set"]
    )
    with server.client(username="some", password="x") as client:
        (command, told), (in_script, told_in_script) = refusals(client)
        other_key = refusal_of(lambda: client.get("other"))
    assert (command, in_script) == ("NOPERM", "NOPERM")
    assert told == "Redis does not allow this user that command (NOPERM). Nothing was changed."
    assert told_in_script == (
        "Redis does not allow this user every command that this needs (NOPERM). "
        "No job was lost, but one may stand in two places."
    )
    assert isinstance(other_key, ServerRefused)
    assert other_key.code == "NOPERM"


def test_a_wrong_type(admin: redis.Redis) -> None:
    admin.lpush("mail:x", "1")
    for call in (
        lambda: admin.get("mail:x"),
        lambda: admin.eval("return redis.call('GET', KEYS[1])", 1, "mail:x"),
    ):
        error = refusal_of(call)
        assert isinstance(error, ServerRefused)
        assert error.code == "WRONGTYPE"


def test_what_has_no_sentence_is_told_as_redis_told_it(admin: redis.Redis) -> None:
    for call in (
        lambda: admin.execute_command("FLY"),  # type: ignore[no-untyped-call]
        lambda: admin.eval("return nil + 1", 0),
        lambda: admin.lset("mail:none", 0, "x"),
    ):
        error = refusal_of(call)
        assert isinstance(error, ServerRefused)
        assert error.code == "ERR"
        assert str(error).startswith("Redis refused: ")


def test_what_is_no_answer_of_a_server_passes_through() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError("x")
    with pytest.raises(BadName), translated():
        raise BadName("x")


def test_the_tree_of_errors() -> None:
    assert issubclass(ReservedName, BadName)
    assert issubclass(AmbiguousQueue, BadName)
    assert issubclass(ServerAway, ServerError)
    assert issubclass(ServerRefused, ServerError)
    assert issubclass(OutcomeUnknown, ServerError)
    assert issubclass(ServerError, QueueError)
    assert not issubclass(QueueError, redis.RedisError)


def test_a_wrong_key_type_names_the_key_and_what_to_do() -> None:
    error = WrongKeyType(b"mail:\xffdead", "list", "hash")
    assert str(error) == (
        "mail:\\xffdead is a hash in Redis, not a list. Nothing was moved. Rename or remove that key first."
    )
    assert (error.key, error.want, error.got) == (b"mail:\xffdead", "list", "hash")
