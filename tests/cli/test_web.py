"""`watchkeeper web`: the console under gunicorn; never open to others without a sign-in."""

from __future__ import annotations

import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import redis

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import job
from tests.demo.running import PROGRAM, stranger_with_a_dashboard
from tests.support.processes import PythonProcess, wait_until
from tests.support.server import free_port


def fetched(address: str) -> tuple[int, str]:
    """Status and text of a page, (0, "") while nobody listens."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310 - our own
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def test_the_console_is_served_wherever_it_is_typed_and_sigterm_ends_it(
    redis_client: redis.Redis, redis_url: str
) -> None:
    redis_client.lpush("mail:pending", job("a"))
    port = free_port()

    with (
        stranger_with_a_dashboard() as project,
        PythonProcess(
            *("-P", "-c", PROGRAM, "web", "--port", str(port)),
            env={"REDIS_URL": redis_url},
            cwd=Path(project),
        ) as web,
    ):
        address = f"http://127.0.0.1:{port}/"
        wait_until(lambda: fetched(address)[0], 20, "a page is served")
        status, page = fetched(address)
        assert (status, "mail" in page) == (200, True)
        assert "GET" not in web.output(), "an access log repeats every poll"
        web.signal(signal.SIGTERM)
        assert web.wait(15) == 0


def test_a_taken_port_is_one_sentence_that_says_what_to_give(shell: Run) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ran = shell("web", "--port", str(port))
    assert ran.code == 1
    assert ran.err.startswith(f"watchkeeper: Cannot listen on 127.0.0.1:{port} (Address already in use)")
    assert ran.err.count("\n") == 1


def test_a_public_address_without_sign_in_is_refused(shell: Run) -> None:
    ran = shell("web", "--host", "0.0.0.0", "--port", str(free_port()))

    assert (ran.code, ran.out) == (2, "")
    assert "WATCHKEEPER_USERS_FILE" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "ada:king:scrypt:1:1:1$a$b\n", "no line of ours\n"])
def test_a_users_file_that_cannot_be_used_ends_it(shell: Run, tmp_path: Path, text: str) -> None:
    users = tmp_path / "users"
    users.write_text(text)

    ran = shell("web", "--port", str(free_port()), env={"WATCHKEEPER_USERS_FILE": str(users)})

    assert ran.code == 2
    assert "users file" in ran.err
    assert "Traceback" not in ran.err
