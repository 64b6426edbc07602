"""Behind a proxy that serves the console below a prefix, every address honours it."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.pages import Browser, Page
from tests.web.conftest import Redis, job

ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post", "data-clean-href")


class Below:
    """A client that asks below a prefix, the way a WSGI server with SCRIPT_NAME does."""

    def __init__(self, client: FlaskClient, prefix: str) -> None:
        self.client, self.prefix = client, prefix

    def open(self, path: str, **options: object) -> object:
        """One request; the prefix goes into SCRIPT_NAME."""
        assert path.startswith(f"{self.prefix}/"), path
        environ = {"SCRIPT_NAME": self.prefix}
        return self.client.open(path.removeprefix(self.prefix), environ_overrides=environ, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("prefix", ["/ops", "/a/b/queues"])
def test_every_address_of_every_page_honours_the_prefix(prefix: str, app: Flask, redis_client: Redis) -> None:
    redis_client.rpush("eu/mail:dead", *[job(number) for number in range(60)])
    redis_client.rpush("eu/mail:processing:w", job("held"))
    browser = Browser(Below(app.test_client(), prefix))  # type: ignore[arg-type]
    waiting, seen, count = [f"{prefix}/"], {f"{prefix}/"}, 0
    while waiting and count < 40:
        page = browser.open(waiting.pop(0))
        assert page.status == 200, page.url
        count += 1
        for address in addresses(page):
            assert address.startswith((f"{prefix}/", "#")), (page.url, address)
            assert f"{prefix}{prefix}" not in address
        for href in page.links().values():
            if href not in seen and "/bytes" not in href and not href.startswith("#"):
                seen.add(href)
                waiting.append(href)
    assert count > 10
    page = browser.open(f"{prefix}/redis/q/eu~2Fmail/dead")
    after = browser.press(page, "Retry", page.rows[0])
    assert after.url.startswith(f"{prefix}/redis/q/eu~2Fmail/dead?did=retried")
    assert browser.open(f"{prefix}/redis/nothing").status == 404


def addresses(page: Page) -> list[str]:
    return [value for one in page.root.walk() for name, value in one.attributes.items() if name in ADDRESSES]
