"""A server that is away, or that refuses: its own exit code, and never a password."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.processes import PythonProcess
from tests.support.server import ValkeyServer, free_port

COMMANDS = {
    "queues": (),
    "workers": (),
    "jobs": ("mail",),
    "enqueue": ("mail", "1"),
    "reap": ("mail", "w1"),
    "retry": ("mail", "--all"),
    "promote": ("mail", "--due"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_server_that_is_not_there_is_exit_code_5(cli: Run, command: str) -> None:
    port = free_port()
    url = f"redis://:hush-hush@127.0.0.1:{port}/3"

    ran = cli("--redis-url", url, command, *COMMANDS[command])

    assert (ran.code, ran.out) == (5, "")
    assert ran.err.count("\n") == 1
    assert "Redis cannot be reached." in ran.err
    assert ran.err.endswith(f" The server is 127.0.0.1:{port}/3.\n")
    assert "hush" not in ran.err


def test_a_server_without_room_for_another_client_says_so(cli: Run) -> None:
    with ValkeyServer(maxclients=3) as server:
        others = [server.client(single_connection_client=True) for _ in range(3)]
        ran = cli("--redis-url", server.url, "queues")
        for other in others:
            other.close()

    assert (ran.code, ran.out) == (5, "")
    assert ran.err == (
        "watchkeeper: Redis takes no more connections: its maximum number of clients is reached (maxclients)."
        f" The server is 127.0.0.1:{server.port}/0.\n"
    )


def test_a_wrong_password_is_refused_with_exit_code_4(cli: Run) -> None:
    with ValkeyServer(requirepass="right-one") as server:
        ran = cli("--redis-url", f"redis://:wrong-one@127.0.0.1:{server.port}/0", "queues")

    assert (ran.code, ran.out) == (4, "")
    assert ran.err.count("\n") == 1
    assert "wrong-one" not in ran.err


@pytest.mark.parametrize("command", [("worker", "mail", "time:sleep"), ("janitor",)])
def test_what_waits_for_a_server_has_named_it_at_its_start(command: tuple[str, ...]) -> None:
    port = free_port()
    url = f"redis://:hush-hush@127.0.0.1:{port}/3"
    with PythonProcess("-m", "dashboard.cli", *command, env={"REDIS_URL": url}) as process:
        process.wait_for_output("Redis cannot be reached.", 20)
        told = process.output()

    assert f"the server is 127.0.0.1:{port}/3" in told
    assert "hush" not in told
