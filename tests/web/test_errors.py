"""Errors as a page and inside a region: readable, without a trace of what is inside."""

from __future__ import annotations

import logging
import re

import pytest
from flask import Flask

from tests.support.pages import Browser
from tests.web.conftest import Redis, job

ACT = ("act", "a" * 32)
ERRORS = [
    (403, "GET", "/redis/", None, {"Host": "evil.example"}),
    (403, "POST", "/redis/q/mail/pause", [ACT], {"Sec-Fetch-Site": "cross-site"}),
    (404, "GET", "/redis/q/nobody", None, {}),
    (404, "GET", "/redis/nothing", None, {}),
    (405, "GET", "/redis/q/mail/retries", None, {}),
    (405, "POST", "/redis/workers", [ACT], {}),
    (409, "POST", "/redis/q/odd/retries", [ACT, ("job", f"dead.1.{'0' * 40}.0")], {}),
    (413, "POST", "/redis/q/mail/retries", [("x", "y" * 9_000_000)], {}),
    (422, "POST", "/redis/q/mail/retries", [ACT], {}),
]


@pytest.mark.parametrize(("status", "method", "path", "fields", "headers"), ERRORS)
def test_an_error_is_readable_as_a_page_and_as_a_fragment(
    status: int,
    method: str,
    path: str,
    fields: list[tuple[str, str]] | None,
    headers: dict[str, str],
    browser: Browser,
    redis_client: Redis,
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    redis_client.set("odd:dead", "left over")
    redis_client.rpush("odd:pending", job("A"))
    page = browser.ask(method, path, fields, headers)
    assert page.status == status
    assert len(page.root.all("html")) == 1
    assert len(page.heading) > 5
    part = browser.ask(method, path, fields, headers | {"HX-Request": "true", "HX-Request-Type": "partial"})
    assert part.status == status
    assert part.root.all("html") == []
    assert page.heading in part.text
    for shown in (page, part):
        assert "Traceback" not in shown.html
        assert shown.headers["Cache-Control"] == "no-store"
    if method == "POST" and status != 409:
        assert "Nothing was changed" in page.text


def test_what_nobody_foresaw_is_a_500_without_a_trace_and_with_an_id_that_the_log_has(
    app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> str:
        raise ZeroDivisionError("inner secret")

    app.view_functions["overview.show"] = broken
    browser = Browser(app.test_client())
    for headers in ({}, {"HX-Request": "true", "HX-Request-Type": "partial"}):
        with caplog.at_level(logging.ERROR):
            page = browser.open("/redis/", headers)
        assert page.status == 500
        assert "inner secret" not in page.html
        assert "ZeroDivisionError" not in page.html
        found = re.search(r"under ([0-9a-f]{12})\.", page.text)
        assert found is not None
        assert found[1] in caplog.text
        assert "inner secret" in caplog.text


def test_the_region_of_a_job_that_is_gone_says_so(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"))
    redis_client.rpush("mail:pending", job("other"))
    page = browser.open("/redis/q/mail/dead")
    href = page.row("A").all("a")[0].get("href")
    redis_client.delete("mail:dead")
    poll = browser.poll(href)
    assert poll.status == 200
    assert "No longer in this queue" in poll.text


@pytest.mark.parametrize(
    ("queue", "id_text", "command"),
    [
        ("mail", "wh-17", "watchkeeper jobs mail --id wh-17"),
        ("a b", "it's", "watchkeeper jobs 'a b' --id 'it'\"'\"'s'"),
        ("mail", "--help", ""),
        ("mail", "line\nbreak", ""),
    ],
)
def test_a_job_names_the_command_that_shows_it(
    queue: str, id_text: str, command: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush(f"{queue}:dead", job(id_text))
    overview = browser.open("/redis/")
    dead = browser.follow(browser.follow(overview, queue), "Dead")
    page = browser.open(dead.rows[0].all("a")[0].get("href"))
    found = [one.text for one in page.root.all("code") if one.text.startswith("watchkeeper")]
    assert found == ([command] if command else [])


def test_the_exact_bytes_can_be_downloaded(browser: Browser, redis_client: Redis) -> None:
    raw = b'{"id":"A" , "payload":"\xff\x00<b>"}'
    redis_client.rpush("mail:dead", raw)
    page = browser.open(browser.open("/redis/q/mail/dead").rows[0].all("a")[0].get("href"))
    answer = browser.client.get(page.link("Download exact bytes"))
    assert answer.data == raw
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
