"""The console as it is served: gunicorn with several processes, restarts, forms that outlive them."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest

from tests.support.html_tree import tree
from tests.support.pages import Browser, Form, Page
from tests.support.processes import PythonProcess, wait_until
from tests.support.server import free_port
from tests.web.conftest import Redis, job
from tests.web.state import state

GUNICORN = ("-m", "gunicorn", "--config", "python:dashboard.gunicorn_conf", "dashboard.wsgi:app")


@contextmanager
def served(redis_url: str, port: int, **env: str) -> Iterator[PythonProcess]:
    """A console under gunicorn, once it answers."""
    settings = {
        "WATCHKEEPER_REDIS_URL": redis_url,
        "WATCHKEEPER_PORT": str(port),
        "WATCHKEEPER_WEB_THREADS": "2",
    }
    with PythonProcess(*GUNICORN, env=settings | env) as process:
        wait_until(lambda: answers(process, port), 30, "the console answers")
        yield process


def answers(process: PythonProcess, port: int) -> bool:
    assert process.is_running(), process.output()
    try:
        return ask(port, "GET", "/-/health")[0] == 200
    except OSError:
        return False


def ask(
    port: int, method: str, path: str, fields: list[tuple[str, str]] | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    """One request on a connection of its own: status, headers, text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    body = None if fields is None else urlencode(fields)
    sent = {"Accept": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if body is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def page_at(port: int, path: str) -> Page:
    status, headers, text = ask(port, "GET", path)
    assert status == 200
    return Page(status, path, headers, text, tree(text))  # type: ignore[arg-type]


def send(port: int, form: Form) -> tuple[int, dict[str, str], str]:
    return ask(port, "POST", form.action, form.fields, Sec_Fetch_Site="same-origin")


def test_case_94_forms_hold_in_every_process_and_after_a_restart(redis_url: str, redis_client: Redis) -> None:
    raws = [job(f"k{number}") for number in range(41)]
    redis_client.rpush("mail:dead", *raws)
    port = free_port()
    with served(redis_url, port, WATCHKEEPER_WEB_PROCESSES="4"):
        page = page_at(port, "/redis/q/mail/dead")
        forms = [page.form("Retry", row) for row in page.rows]
        assert len(forms) == 41
        assert [send(port, form)[0] for form in forms[:40]] == [303] * 40
    with served(redis_url, port):
        status, headers, _ = send(port, forms[40])
        assert (status, headers["Location"]) == (303, "/redis/q/mail/dead?did=retried&moved=1")
        again = page_at(port, send(port, forms[3])[1]["Location"])
        assert "Already retried" in again.said
    assert state(redis_client).keys() == {"mail:pending"}
    assert redis_client.llen("mail:pending") == 41


@pytest.mark.parametrize("label", ["Retry", "Discard"])
def test_case_94_acts_are_not_done_by_reading_or_by_foreign_pages(
    label: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    page = browser.open("/redis/q/mail/dead")
    form = page.form(label, page.row("A"))
    before = state(redis_client)
    for method in ("GET", "HEAD"):
        assert (
            browser.client.open(f"{form.action}?{urlencode(form.fields)}", method=method).status_code == 405
        )
    foreign = (
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-site"},
    )
    for headers in foreign:
        answer = browser.send(form, headers)
        assert answer.status == 403
    without_site = browser.client.post(
        form.action, data=dict(form.fields), headers={"Origin": "https://evil.example"}
    )
    assert without_site.status_code == 403
    assert state(redis_client) == before
    assert browser.send(form).status == 200


def test_case_94_a_session_holds_in_every_process_and_after_a_restart(
    redis_url: str, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    port = free_port()
    env = {"WATCHKEEPER_PASSWORD": "a long password", "WATCHKEEPER_WEB_PROCESSES": "3"}
    with served(redis_url, port, **env):
        status, headers, _ = ask(
            port, "POST", "/-/sign-in", [("password", "a long password")], Sec_Fetch_Site="same-origin"
        )
        assert status == 303
        cookie = headers["Set-Cookie"].partition(";")[0]
        assert {ask(port, "GET", "/redis/", Cookie=cookie)[0] for _ in range(12)} == {200}
    with served(redis_url, port, **env):
        assert ask(port, "GET", "/redis/", Cookie=cookie)[0] == 200
    with served(redis_url, port, WATCHKEEPER_PASSWORD="another password"):
        assert ask(port, "GET", "/redis/", Cookie=cookie)[0] == 303


def test_gunicorn_refuses_a_public_address_without_sign_in(redis_url: str) -> None:
    env = {
        "WATCHKEEPER_REDIS_URL": redis_url,
        "WATCHKEEPER_HOST": "0.0.0.0",
        "WATCHKEEPER_PORT": str(free_port()),
    }
    with PythonProcess(*GUNICORN, env=env) as process:
        assert process.wait(20) == 2
        assert "WATCHKEEPER_HOST is '0.0.0.0', which others can reach" in process.output()
        assert "Traceback" not in process.output()


def test_gunicorn_gives_up_with_one_sentence_on_a_users_file_that_cannot_be_used(redis_url: str) -> None:
    env = {"WATCHKEEPER_REDIS_URL": redis_url, "WATCHKEEPER_USERS_FILE": "/nowhere/users"}
    with PythonProcess(*GUNICORN, env=env | {"WATCHKEEPER_PORT": str(free_port())}) as process:
        assert process.wait(30) == 4
        assert "The users file /nowhere/users cannot be read" in process.output()
        assert "Traceback" not in process.output()


@pytest.mark.parametrize("path", ["/redis/q/mail/pause", "/-/sign-in"])
@pytest.mark.parametrize("body", [b"zz\r\n", b"5\r\nact=1xx", b"5\r\nac", b""])
def test_a_torn_body_is_a_request_that_cannot_be_read(
    console_port: int, redis_client: Redis, path: str, body: bytes
) -> None:
    before = state(redis_client)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", console_port), timeout=10) as line:
        line.sendall(head.encode() + body)
        line.shutdown(socket.SHUT_WR)
        assert line.recv(12) == b"HTTP/1.1 400"
    assert state(redis_client) == before


@pytest.fixture
def console_port(redis_url: str) -> Iterator[int]:
    """Where a console listens."""
    port = free_port()
    with served(redis_url, port):
        yield port
