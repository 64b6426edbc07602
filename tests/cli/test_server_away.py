"""A server that is away, or that refuses: its own exit code, and never a password."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
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
    url = f"redis://:hush-hush@127.0.0.1:{free_port()}/0"

    ran = cli("--redis-url", url, command, *COMMANDS[command])

    assert (ran.code, ran.out) == (5, "")
    assert ran.err.count("\n") == 1
    assert "hush" not in ran.err


def test_a_wrong_password_is_refused_with_exit_code_4(cli: Run) -> None:
    with ValkeyServer(requirepass="right-one") as server:
        ran = cli("--redis-url", f"redis://:wrong-one@127.0.0.1:{server.port}/0", "queues")

    assert (ran.code, ran.out) == (4, "")
    assert ran.err.count("\n") == 1
    assert "wrong-one" not in ran.err
