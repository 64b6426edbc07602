"""What the tests lean on holds: data over restarts, frozen servers, and an end that always comes."""

import os
import signal

import pytest
import redis

from tests.support.processes import PythonProcess, state_of, wait_until
from tests.support.server import Kind, ValkeyServer

START_AND_TELL = """
import signal
from tests.support.server import ValkeyServer
server = ValkeyServer().start()
print(f"pid {server.pid}.")
signal.pause()
"""


def is_gone(pid: int) -> bool:
    return state_of(pid) in {"", "Z"}


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_a_server_keeps_port_and_appended_data_over_an_end_of_any_kind(kind: Kind) -> None:
    with ValkeyServer(kind, appendonly="yes", appendfsync="always", maxmemory="8mb") as server:
        port = server.port
        assert server.client().config_get("maxmemory")["maxmemory"] == str(8 * 1024 * 1024)
        server.client().set("kept", "1")
        server.restart()
        assert server.client().get("kept") == b"1"
        server.kill()
        assert not server.is_running()
        server.start()
        assert server.client().get("kept") == b"1"
        assert server.port == port


def test_a_frozen_server_answers_nothing_until_it_is_thawed() -> None:
    with ValkeyServer() as server:
        server.client().set("here", 1)
        server.freeze()
        with pytest.raises(redis.TimeoutError):
            server.client(socket_timeout=0.2).get("here")
        server.thaw()
        assert server.client().get("here") == b"1"
        server.freeze()
        pid = server.pid
    assert is_gone(pid)


def test_a_process_and_its_children_end_with_the_block_even_when_frozen() -> None:
    start_child = (
        "import subprocess, sys, time; c = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1)"
    )
    with PythonProcess("-c", f"{start_child}; print(f'child {{c.pid}}.'); time.sleep(600)") as process:
        child = int(process.wait_for_output(".", 20).split()[1].rstrip("."))
        process.freeze()
        assert state_of(process.pid) == "T"
    wait_until(lambda: is_gone(child), 5, "the child has ended")
    assert is_gone(process.pid)


def test_a_server_does_not_outlive_a_test_run_that_was_killed() -> None:
    with PythonProcess("-c", START_AND_TELL) as run:
        pid = int(run.wait_for_output(".", 20).split()[1].rstrip("."))
        os.kill(run.pid, signal.SIGKILL)
        wait_until(lambda: is_gone(pid), 5, "the server has ended with its test run")


def test_waiting_in_vain_says_what_for_and_what_was_seen_last() -> None:
    with pytest.raises(AssertionError, match=r"not within 0.05 s: the moon \(last answer: 0\)"):
        wait_until(lambda: 0, 0.05, "the moon")


def test_a_process_that_ends_early_is_told_with_its_output() -> None:
    failure = pytest.raises(AssertionError, match=r"ended with 3 before writing 'ready'[\s\S]*sorry")
    with PythonProcess("-c", "print('sorry'); raise SystemExit(3)") as process, failure:
        process.wait_for_output("ready", 20)
