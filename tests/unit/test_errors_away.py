"""Servers that are away, busy, loading, locked or a cluster become our errors: all of them are real."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from dashboard.queue.errors import ServerAway, ServerRefused
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer, free_port
from tests.unit.test_errors import error_of, refusal_of


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_passwords(kind: Kind) -> None:
    with ValkeyServer(kind, requirepass="right") as server:
        for password, code in [(None, "NOAUTH"), ("wrong", "WRONGPASS")]:
            error = refusal_of(server.client(password=password).ping)
            assert isinstance(error, ServerRefused)
            assert error.code == code
            assert "wrong" not in str(error)


def test_a_server_that_is_not_there() -> None:
    client = redis.Redis(host="127.0.0.1", port=free_port(), retry=Retry(NoBackoff(), 0))
    error = refusal_of(client.ping)
    assert isinstance(error, ServerAway)
    assert str(error) == "Redis cannot be reached."


def test_a_server_that_does_not_answer_and_one_that_cuts() -> None:
    with ValkeyServer() as server, server.client() as client:
        client.ping()
        server.freeze()
        error = refusal_of(server.client(socket_timeout=0.3).ping)
        assert (type(error), str(error)) == (ServerAway, "Redis did not answer in time.")
        server.thaw()
        client.ping()
        server.kill()
        assert isinstance(refusal_of(client.ping), ServerAway)


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_a_server_that_is_busy_with_a_script(kind: Kind) -> None:
    with ValkeyServer(kind) as server, server.client() as admin:
        admin.config_set("lua-time-limit", 20)

        def spin() -> None:
            with server.client(socket_timeout=30.0) as client:
                try:
                    client.eval("while true do end", 0)
                except redis.ResponseError:
                    pass

        spinning = threading.Thread(target=spin)
        spinning.start()
        error: Any = wait_until(lambda: error_of(lambda: admin.get("x")), 20, "the server is busy")
        admin.script_kill()
        spinning.join(30)
        assert (type(error), str(error)) == (ServerAway, "Redis cannot answer now (BUSY).")


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_a_server_that_loads_its_data(kind: Kind) -> None:
    with ValkeyServer(kind) as server, server.client() as admin:
        admin.execute_command("DEBUG", "POPULATE", "2000", "key", "1000")
        admin.config_set("loading-process-events-interval-bytes", 1024)
        admin.config_set("key-load-delay", 1000)

        def reload() -> None:
            with server.client(socket_timeout=30.0) as client:
                client.execute_command("DEBUG", "RELOAD")

        reloading = threading.Thread(target=reload)
        reloading.start()
        error: Any = wait_until(lambda: error_of(lambda: admin.get("x")), 20, "the server loads")
        reloading.join(30)
        assert (type(error), str(error)) == (ServerAway, "Redis is loading its data from disk.")


def test_a_cluster_without_all_slots_and_keys_that_stand_apart() -> None:
    with ValkeyServer(cluster_enabled="yes", cluster_port=free_port()) as server, server.client() as client:
        error = refusal_of(lambda: client.get("x"))
        assert (type(error), str(error)) == (ServerAway, "Redis cannot answer now (CLUSTERDOWN).")
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_until(lambda: error_of(lambda: client.get("x")) is None, 20, "the cluster is up")
        for call in (
            lambda: client.mget("a", "b"),
            lambda: client.eval("return 1", 2, "a", "b"),
        ):
            error = refusal_of(call)
            assert isinstance(error, ServerRefused)
            assert error.code == "CROSSSLOT"
            assert str(error).startswith("In a cluster a queue's name needs a hash tag")
