"""The demo's buttons: only with a demo, only for its own workers, only for who may act."""

from __future__ import annotations

import time
from collections.abc import Collection

import pytest
from flask import Flask

from dashboard.settings import Settings
from dashboard.web import create_app
from dashboard.web.demo_hook import SIGNALS, Signal
from tests.support.pages import Browser, Form
from tests.web.conftest import Redis


class Demo:
    """A demo with one process that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[bytes, str]] = []

    def processes(self) -> Collection[bytes]:
        """Its one worker."""
        return [b"reports-1"]

    def signal(self, worker: bytes, what: Signal) -> None:
        """Note it; LookupError for the workers of others."""
        if worker != b"reports-1":
            raise LookupError(worker)
        self.told.append((worker, what))


@pytest.fixture
def demo() -> Demo:
    return Demo()


@pytest.fixture
def app(redis_url: str, redis_client: Redis, demo: Demo) -> Flask:
    for worker in ("reports-1", "somebody-elses"):
        redis_client.hset("reports:heartbeats", worker, int(time.time()))
    return create_app(Settings(redis_url=redis_url), demo=demo)


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app.test_client())


@pytest.mark.parametrize("path", ["/redis/workers", "/redis/q/reports/workers"])
@pytest.mark.parametrize("what", SIGNALS)
def test_the_demos_own_worker_has_a_button_for_each_signal(
    path: str, what: Signal, browser: Browser, demo: Demo
) -> None:
    page = browser.open(path)
    assert [form.label for form in page.forms(page.row("somebody-elses"))] == []
    after = browser.press(page, what, page.row("reports-1"))
    assert after.url.startswith(path)
    assert f"Sent {what} to the demo's worker" in after.said
    assert demo.told == [(b"reports-1", what)]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ([("worker", "somebody-elses"), ("signal", "SIGKILL")], 409),
        ([("worker", "reports-1"), ("signal", "SIGTERM")], 422),
        ([("worker", "reports-1")], 422),
        ([("signal", "SIGKILL")], 422),
    ],
)
def test_anything_else_is_refused(
    fields: list[tuple[str, str]], status: int, browser: Browser, demo: Demo
) -> None:
    assert browser.send(Form("/redis/demo/signals", "post", fields, "", "")).status == status
    assert demo.told == []


def test_without_a_demo_there_is_no_such_address(redis_url: str, redis_client: Redis) -> None:
    redis_client.hset("reports:heartbeats", "reports-1", int(time.time()))
    browser = Browser(create_app(Settings(redis_url=redis_url)).test_client())
    page = browser.open("/redis/workers")
    assert page.forms(page.row("reports-1")) == []
    fields = [("worker", "reports-1"), ("signal", "SIGKILL")]
    assert browser.send(Form("/redis/demo/signals", "post", fields, "", "")).status == 404
