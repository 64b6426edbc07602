"""The look at a server before a job is touched: what is refused, what is warned of, nothing written."""

from __future__ import annotations

import logging

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerAway, ServerRefused
from dashboard.queue.janitor import Janitor
from dashboard.queue.keys import QueueKeys
from dashboard.queue.permissions import COMMANDS, Part, ask
from dashboard.queue.preflight import preflight, server_warnings
from dashboard.queue.worker import Worker
from tests.queue.running import POLICY, Client, Q, held, push, ran, supervisor
from tests.support.keyspace import dumps
from tests.support.monitor import Monitor
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer, free_port

FORGETS = "Redis forgets all jobs when it restarts: neither appendonly nor save is on"


def test_asking_for_every_command_carries_none_of_them_out_and_leaves_no_transaction_open(
    each_client: Client,
) -> None:
    push(each_client, "a")
    before = dumps(each_client)
    with Monitor(each_client) as monitor:
        assert ask(each_client, QueueKeys(b"*?[] \xff"), COMMANDS) == []
        assert ask(each_client, Q, COMMANDS) == []
        carried_out = [one.words[0].upper() for one in monitor.seen()]
    # A server shows commands as it carries them out; what it only queues is not among them.
    assert set(carried_out) <= {b"MULTI", b"DISCARD", b"CLIENT"}
    assert dumps(each_client) == before
    assert each_client.ping() is True
    assert each_client.lpush("after", "1") == 1


def test_a_server_that_is_full_or_a_replica_or_lacks_replicas_denies_nothing() -> None:
    with ValkeyServer() as server, server.client() as client:
        for name, value in (("maxmemory", 1), ("min-replicas-to-write", 3)):
            client.config_set(name, value)
            assert ask(client, Q, COMMANDS) == []
            client.config_set(name, 0)
        client.replicaof("127.0.0.1", free_port())
        assert ask(client, Q, COMMANDS) == []


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("noeviction", None),
        ("allkeys-lru", "Redis may throw jobs away when its memory is full: maxmemory-policy is allkeys-lru"),
        ("volatile-ttl", "Redis may forget dedup keys and marks of done jobs before their time"),
    ],
)
def test_any_policy_but_noeviction_is_warned_of_in_one_sentence(policy: str, says: str | None) -> None:
    with ValkeyServer(appendonly="yes", maxmemory_policy=policy) as server, server.client() as client:
        warnings = server_warnings(client)
    assert len(warnings) == (0 if says is None else 1)
    assert says is None or warnings[0].startswith(says)


@pytest.mark.parametrize(
    ("options", "warned"),
    [({}, True), ({"appendonly": "yes"}, False), ({"save": "60 1"}, False), ({"save": "60 1 900 1"}, False)],
)
def test_a_server_that_keeps_nothing_is_warned_of(options: dict[str, str], warned: bool) -> None:
    for kind in ("valkey", "redis"):
        with ValkeyServer(kind, **options) as server, server.client() as client:
            assert [warning.startswith(FORGETS) for warning in server_warnings(client)] == [True] * warned


def test_each_warning_is_logged_once_for_all_queues(
    redis_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        warnings = preflight([(redis_client, QueueKeys(name)) for name in ("a", "b", "c")], Part.WORKER)
        assert preflight([(redis_client, None)], Part.JANITOR) == warnings
    assert len(warnings) == 1
    assert caplog.text.count(FORGETS) == 2
    assert dumps(redis_client) == {}


def test_a_worker_and_a_janitor_warn_at_their_start(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a")
    with supervisor(redis_url) as crew:
        wait_until(lambda: ran(redis_client) == ["a"] and held(redis_client) == {}, 20, "it works")
        assert crew.output().count(FORGETS) == 1


def test_without_transactions_nothing_is_written_and_the_start_is_refused() -> None:
    with ValkeyServer(rename_command="MULTI nothing-of-the-kind") as server, server.client() as client:
        push(client, "a")
        before = dumps(client)
        connections = Connections.from_url(server.url)
        for one in (
            Worker(connections, "q", lambda _: None, defaults=POLICY),
            Janitor(connections, queues=[b"q"], defaults=POLICY),
        ):
            with pytest.raises(ServerRefused, match="does not keep transactions as Redis does"):
                one.run()
        connections.close()
        assert dumps(client) == before


def test_a_password_that_is_missing_is_told_at_the_start() -> None:
    with ValkeyServer(requirepass="secret") as server:
        connections = Connections.from_url(f"redis://127.0.0.1:{server.port}/0")
        with pytest.raises(ServerRefused, match="NOAUTH"):
            Janitor(connections, queues=[b"q"], defaults=POLICY).run()
        with pytest.raises(ServerRefused, match="NOAUTH"):
            Worker(connections, "q", lambda _: None, defaults=POLICY).run()


def test_an_absent_server_is_away_not_refused() -> None:
    client = Connections.from_url(f"redis://127.0.0.1:{free_port()}/0").command()
    with pytest.raises(ServerAway):
        preflight([(client, Q)], Part.WORKER)
    with pytest.raises(ServerAway):
        ask(client, Q, COMMANDS)
