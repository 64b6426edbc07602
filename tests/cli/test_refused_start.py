"""Workers and janitors that may not do what they need: one sentence, exit code 4, and no job touched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from tests.support.keyspace import dumps
from tests.support.processes import run_python
from tests.support.redis_user import make_user, url_of_user
from tests.support.server import ValkeyServer

WORKER = ("worker", "mail", "tests.cli.sample_handlers:note")
COMMANDS = {
    "worker": WORKER,
    "named worker": (*WORKER, "--name", "w1"),
    "janitor": ("janitor", "--queue", "mail"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    """A server whose users the tests change."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def admin(server: ValkeyServer) -> Iterator[redis.Redis]:
    """A client that may do everything, on the emptied server."""
    with server.client() as client:
        client.flushall()
        yield client


@pytest.mark.parametrize("name", COMMANDS)
def test_S57_a_start_without_a_command_that_is_needed_ends_with_one_sentence_and_code_4(
    server: ValkeyServer, admin: redis.Redis, name: str
) -> None:
    make_user(admin, "mail:*", without="HDEL")
    admin.lpush("mail:pending", '{"id":"a"}')
    before = dumps(admin)

    ran = run_python(
        "-m", "dashboard.cli", *COMMANDS[name], env={"REDIS_URL": url_of_user(server)}, within_seconds=60
    )

    assert ran.returncode == 4, ran
    said = [line for line in ran.stderr.splitlines() if "HDEL" in line]
    assert len(said) == 1
    assert (
        "Redis does not allow its user HDEL on the keys of queue mail (NOPERM). No job was touched" in said[0]
    )
    assert "Traceback" not in ran.stderr
    assert dumps(admin) == before
