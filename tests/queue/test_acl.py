"""S57: a user of Redis with exactly the documented commands, on its own queue's keys."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from typing import cast

import pytest

from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerRefused
from dashboard.queue.janitor import Janitor
from dashboard.queue.keys import REGISTRY
from dashboard.queue.producer import Producer
from dashboard.queue.scripts import Scripts
from dashboard.queue.worker import Worker
from tests.inspector.test_bad_data import read_everything
from tests.queue.running import (
    POLICY,
    Client,
    Q,
    ids,
    janitor,
    pending,
    pid_of,
    push,
    ran,
    supervisor,
    wait_for_holder,
)
from tests.support.keyspace import dumps
from tests.support.processes import wait_until
from tests.support.redis_user import client_of_user, documented_for, make_user, url_of_user
from tests.support.script_cases import CASES, READING
from tests.support.server import Kind, ValkeyServer
from tests.support.standing_queue import NOW, furnish


@pytest.fixture(scope="module", params=["valkey", "redis"])
def server(request: pytest.FixtureRequest) -> Iterator[ValkeyServer]:
    """A server whose users the tests change."""
    with ValkeyServer(cast(Kind, request.param)) as server:
        yield server


@pytest.fixture
def admin(server: ValkeyServer) -> Iterator[Client]:
    """A client that may do everything, on the emptied server."""
    with server.client() as client:
        client.flushall()
        client.execute_command("ACL", "LOG", "RESET")
        yield client


def denials(admin: Client) -> set[tuple[str, str]]:
    """What the server denied: the reason and the command or key."""
    return {
        (text(entry["reason"]), text(entry["object"]))
        for entry in admin.acl_log()
        if text(entry["username"]) == "watchkeeper"
    }


def text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def test_S57_with_exactly_the_documented_commands_everything_works_but_the_index(
    server: ValkeyServer, admin: Client
) -> None:
    make_user(admin, "q:*")
    url = url_of_user(server)
    # Queues of others in the same database, marked as managed and found by the scan, but closed to this user.
    admin.hset("theirs:policy", "managed", "1")
    admin.rpush("theirs:processing:x", "x")
    admin.sadd(REGISTRY, "theirs")
    others = {key: admin.dump(key) for key in ("theirs:policy", "theirs:processing:x", REGISTRY)}
    admin.hset(Q.policy, mapping={"max_attempts": 1})
    admin.rpush(Q.processing(b"ghost"), b'{"id":"orphaned","payload":{},"attempts":0}')
    admin.rpush(Q.processing(b"dead"), b'{"id":"stranded","payload":{},"attempts":0}')
    admin.hset(Q.heartbeats, "dead", int(admin.time()[0]) - 3600)
    with supervisor(url, runs_url=server.url) as crew, janitor(url, "q") as sweeper:
        producer = Producer(Connections.from_url(url), "q")
        producer.enqueue_many([{}] * 10)
        assert producer.enqueue({}, id="first", dedup="k") == producer.enqueue({}, id="second", dedup="k")
        producer.enqueue_in({}, 1, id="delayed")
        producer.enqueue({"raise": "always"}, id="failing")
        expected = {"first", "delayed", "orphaned", "stranded"}
        wait_until(lambda: expected <= set(ran(admin)) and len(ran(admin)) == 14, 60, "all run")
        wait_until(lambda: admin.llen(Q.dead) == 1, 30, "the failing one is dead")
        push(admin, "killed", sleep=2)
        os.kill(pid_of(wait_for_holder(admin, "killed")), signal.SIGKILL)
        wait_until(lambda: "killed" in ran(admin), 30, "a killed child's job runs again")
        crew.signal(signal.SIGTERM)
        assert crew.wait(20) == 0
        assert "SADD, so the index of queues is off" in crew.output()
        assert "SSCAN, so the index of queues is off" in sweeper.output()
        assert sweeper.is_running()
    assert ids(admin.lrange(Q.dead, 0, -1)) == ["failing"]
    assert pending(admin) == []
    assert admin.exists(Q.delayed, *admin.keys("q:processing:*")) == 0
    assert admin.hlen(Q.heartbeats) == 0
    assert {key: admin.dump(key) for key in others} == others
    assert {reason for reason, _ in denials(admin)} == {"key"}, denials(admin)
    assert {name for _, name in denials(admin)} <= {"watchkeeper:queues", "theirs:policy"}


def test_S57_with_exactly_the_documented_commands_every_act_and_every_page_works(
    server: ValkeyServer, admin: Client
) -> None:
    make_user(admin, "{mail}:*")
    with client_of_user(server) as client:
        for case in CASES:
            admin.flushall()
            furnish(admin)
            assert case.call(Scripts(client, now=NOW)).code is case.code, case.name  # type: ignore[attr-defined]
        admin.flushall()
        furnish(admin)
        for name, call, _ in READING:
            assert call(Scripts(client)) is not None, name
        inspector = Inspector(client, queues=[b"{mail}"])
        read_everything(inspector, b"{mail}")
        inspector.close()
    assert {reason for reason, _ in denials(admin)} == {"key"}, denials(admin)
    assert {name for _, name in denials(admin)} <= {"watchkeeper:queues"}


def begun(part: str, connections: Connections, done: list[object]) -> Worker | Janitor:
    """A worker, or a janitor, that has not run yet."""
    if part == "worker":
        return Worker(connections, "q", lambda job: done.append(job.id), defaults=POLICY)
    return Janitor(connections, queues=[b"q"], defaults=POLICY)


STOPPING = [
    (part, row.command) for part in ("worker", "janitor") for row in documented_for(part) if row.stops
]


@pytest.mark.parametrize(("part", "command"), STOPPING)
def test_S57_without_one_command_the_start_is_refused_before_a_job_is_touched(
    server: ValkeyServer, admin: Client, part: str, command: str
) -> None:
    make_user(admin, "q:*", without=command)
    push(admin, "waits")
    admin.rpush(Q.processing(b"w"), "held")
    admin.zadd(Q.delayed, {"due": 1})
    before = dumps(admin)
    connections = Connections.from_url(url_of_user(server))
    one = begun(part, connections, [])
    with pytest.raises(ServerRefused) as refused:
        one.run()
    connections.close()
    assert refused.value.code == "NOPERM"
    # Without these two nothing at all is answered, and no name is known.
    assert command in ("PING", "CLIENT SETNAME") or f"does not allow its user {command} on" in str(
        refused.value
    )
    assert "\n" not in str(refused.value)
    assert dumps(admin) == before


OPTIONAL = [
    (part, row.command, row.without)
    for part in ("worker", "janitor")
    for row in documented_for(part)
    if not row.stops
]


@pytest.mark.parametrize(("part", "command", "without"), OPTIONAL)
def test_S57_without_a_command_that_can_be_missed_the_work_goes_on_and_what_is_off_is_said(
    server: ValkeyServer,
    admin: Client,
    caplog: pytest.LogCaptureFixture,
    part: str,
    command: str,
    without: str,
) -> None:
    make_user(admin, "q:*", without=command)
    connections = Connections.from_url(url_of_user(server))
    done: list[object] = []
    one = begun(part, connections, done)
    push(admin, "a")
    admin.zadd(Q.delayed, {'{"id":"b"}': 1})
    with caplog.at_level(logging.WARNING):
        thread = threading.Thread(target=one.run)
        thread.start()
        wait_until(lambda: done or part == "janitor", 20, "the job runs")
        wait_until(lambda: admin.zcard(Q.delayed) == 0 or part == "worker", 20, "the other one is due")
        one.stop()
        thread.join(20)
    assert not thread.is_alive()
    assert f"Redis does not allow its user {command}" in caplog.text
    assert without in caplog.text


def test_S57_a_dedup_key_or_mark_that_is_not_allowed_is_refused_and_stores_nothing(
    server: ValkeyServer, admin: Client
) -> None:
    for row in documented_for("producer"):
        if row.needed_by <= {"producer", "console"}:
            make_user(admin, "q:*", without=row.command)
            with pytest.raises(ServerRefused) as refused:
                Producer(Connections.from_url(url_of_user(server)), "q").enqueue(1, dedup="k")
            assert refused.value.code == "NOPERM"
            assert dumps(admin) == {}


def test_S57_without_a_command_of_the_console_its_pages_stand_or_say_that_it_is_denied(
    server: ValkeyServer, admin: Client
) -> None:
    furnish(admin)
    # Only the watch over heartbeats is written by those who look.
    before = {key: value for key, value in dumps(admin).items() if key != b"{mail}:watch"}
    for row in documented_for("console"):
        make_user(admin, "{mail}:*", without=row.command)
        inspector = Inspector(client_of_user(server), queues=[b"{mail}"])
        assert is_read(inspector) or row.without in ("no start", "refused when used"), row.command
        inspector.close()
    assert {key: value for key, value in dumps(admin).items() if key != b"{mail}:watch"} == before


def is_read(inspector: Inspector) -> bool:
    """Whether all pages stand; False when one says that this user may not."""
    try:
        read_everything(inspector, b"{mail}")
    except ServerRefused as refused:
        if refused.code != "NOPERM":
            raise
        return False
    return True
