"""Redis away, wrong types, refusals: readable, and it goes on by itself."""

from __future__ import annotations

import pytest

from dashboard.settings import Settings
from dashboard.web import create_app
from tests.support.pages import Browser, Page
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer
from tests.web.conftest import Redis, job
from tests.web.state import state

PAGES = (
    "/redis/",
    "/redis/workers",
    "/redis/q/mail",
    "/redis/q/mail/dead",
    "/redis/q/mail/trash",
    "/redis/reap-stale",
)


def test_the_console_starts_before_redis_and_finds_it() -> None:
    with ValkeyServer() as server:
        url = server.url
        server.stop()
        settings = Settings(redis_url=url.replace("redis://", "redis://:topsecret@"))
        browser = Browser(create_app(settings).test_client())
        for path in PAGES:
            page = browser.open(path)
            assert page.status == 503
            assert "Redis is not answering" in page.text
            assert f"127.0.0.1:{server.port}/0" in page.text
            assert "topsecret" not in page.html
            assert page.headers["Retry-After"] == "2"
            assert browser.poll(f"{path}?recover=1").status == 503
        assert browser.open("/-/health").status == 200
        refused = browser.ask("POST", "/redis/q/mail/pause", [("act", "a" * 32)])
        assert refused.status == 503
        assert "recover" not in refused.html


def test_redis_that_goes_and_comes_back_needs_no_restart() -> None:
    with ValkeyServer(appendonly="yes", appendfsync="always") as server:
        with server.client() as client:
            client.rpush("mail:dead", job("A"))
        browser = Browser(create_app(Settings(redis_url=server.url)).test_client())
        shown = browser.open("/redis/q/mail/dead")
        assert shown.status == 200
        server.kill()
        assert browser.open("/redis/q/mail/dead").status == 503
        assert browser.press(shown, "Retry", shown.row("A")).status == 503
        poll = browser.poll("/redis/q/mail/dead")
        assert poll.status == 503
        assert poll.root.all("html") == []
        server.start()

        def recovered() -> bool:
            answer = browser.poll("/redis/q/mail/dead?recover=1")
            return answer.status == 200 and answer.headers.get("HX-Refresh") == "true"

        wait_until(recovered, 10, "the page that says 503 is told to reload")

        def shown_again() -> Page | None:
            page = browser.open("/redis/q/mail/dead")
            return page if page.status == 200 else None

        page = wait_until(shown_again, 5, "the list is shown again")
        assert page is not None
        form = page.form("Retry", page.row("A"))
        answer = browser.client.post(form.action, data=dict(form.fields))
        assert answer.headers["Location"].endswith("?did=retried&moved=1")


def test_a_frozen_redis_is_a_503_in_the_time_of_one_answer() -> None:
    with ValkeyServer() as server, server.client() as client:
        client.rpush("mail:dead", job("A"))
        settings = Settings(redis_url=server.url, redis_timeout_seconds=0.3)
        browser = Browser(create_app(settings).test_client())
        assert browser.open("/redis/").status == 200
        server.freeze()
        try:
            page = browser.open("/redis/")
        finally:
            server.thaw()
        assert page.status == 503
        assert "did not answer in time" in page.text


def test_an_act_without_an_answer_does_not_claim_that_nothing_moved() -> None:
    with ValkeyServer() as server, server.client() as client:
        client.rpush("mail:dead", job("a"))
        console = create_app(Settings(redis_url=server.url, redis_timeout_seconds=0.5))
        browser = Browser(console.test_client())
        page = browser.open("/redis/q/mail/dead")
        server.freeze()
        answer = browser.press(page, "Retry", page.row("a"))
        server.thaw()
    assert answer.status == 503
    assert "It may have happened all the same" in answer.text
    assert "where they were" not in answer.text


@pytest.mark.parametrize("place", ["pending", "delayed", "dead", "heartbeats"])
def test_a_key_of_another_type_spoils_its_own_list_only(
    place: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:pending", job("p-1"))
    redis_client.rpush("mail:dead", job("x-1"))
    redis_client.zadd("mail:delayed", {job("d-1"): 1})
    redis_client.rpush("mail:processing:w", job("r-1"))
    redis_client.delete(f"mail:{place}")
    redis_client.set(f"mail:{place}", "left over")
    for path in PAGES:
        assert browser.open(path).status == 200, path
    page = browser.open("/redis/q/mail")
    for other, text in (("pending", "p-1"), ("delayed", "d-1"), ("dead", "x-1")):
        assert (text in page.text) == (other != place)
    assert f"{place} is not a" in page.text


def test_an_act_on_a_key_of_another_type_moves_nothing_and_names_it(
    browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    page = browser.open("/redis/q/mail/dead")
    redis_client.set("mail:pending", "left over")
    before = state(redis_client)
    after = browser.press(page, "Retry", page.row("A"))
    assert after.status == 409
    assert "mail:pending is a string in Redis, not a list" in after.text
    assert "Nothing was moved" in after.text
    assert state(redis_client) == before


def test_a_user_who_may_only_read_sees_pages_and_is_refused_acts(redis_url: str, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"))
    redis_client.acl_setuser(
        "ro",
        enabled=True,
        passwords=["+pw"],
        keys=["*"],
        categories=["+@read", "+@connection"],
        commands=["+info"],
    )
    try:
        url = redis_url.replace("redis://", "redis://ro:pw@")
        browser = Browser(create_app(Settings(redis_url=url)).test_client())
        for path in PAGES:
            assert browser.open(path).status == 200, path
        page = browser.open("/redis/q/mail/dead")
        before = state(redis_client)
        after = browser.press(page, "Retry", page.row("A"))
        assert after.status == 403
        assert "NOPERM" in after.text
        assert state(redis_client) == before
    finally:
        redis_client.acl_deluser("ro")


def test_an_unknown_queue_is_a_404_that_names_it(browser: Browser) -> None:
    for path in (
        "/redis/q/nobody",
        "/redis/q/nobody/dead",
        "/redis/q/nobody/workers",
        "/redis/q/nobody/trash",
    ):
        page = browser.open(path)
        assert page.status == 404
        assert "There is no queue nobody here" in page.text


def test_a_job_that_is_gone_is_a_404_with_its_own_page(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"))
    redis_client.rpush("mail:pending", job("other"))
    page = browser.open("/redis/q/mail/dead")
    href = page.row("A").all("a")[0].get("href")
    assert browser.open(href).status == 200
    redis_client.delete("mail:dead")
    gone = browser.open(href)
    assert gone.status == 404
    assert "No longer in this queue" in gone.text
    assert browser.open(href.replace("?", "/bytes?")).status == 404
