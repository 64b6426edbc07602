"""Reaping from the console: the preview names jobs and destinations, the script has the last word."""

from __future__ import annotations

import time

import pytest

from tests.support.pages import Browser, Page
from tests.support.processes import wait_until
from tests.web.conftest import Redis, job
from tests.web.state import state


def stale_worker(client: Redis, name: str = "w1", *raws: bytes) -> None:
    """A worker of a queue with the least threshold whose last beat is long ago."""
    client.hset("mail:policy", mapping={"stale_after_seconds": "3", "beat_seconds": "1"})
    client.hset("mail:heartbeats", name, int(time.time()) - 600)
    client.lpush(f"mail:processing:{name}", *(raws or (job("running", None, 0),)))


def preview(browser: Browser, name: str = "w1") -> Page:
    """The preview, as soon as the worker has been watched for its threshold."""

    def reapable() -> Page | None:
        page = browser.open("/redis/workers")
        row = next((row for row in page.rows if name in row.text), None)
        return browser.follow(page, "Reap", row) if row is not None and "Reap" in page.links(row) else None

    found = wait_until(reapable, 12, f"{name} can be reaped", every_seconds=0.2)
    assert found is not None
    assert found.status == 200
    return found


def test_case_112_a_worker_that_beats_again_keeps_its_job(browser: Browser, redis_client: Redis) -> None:
    stale_worker(redis_client)
    page = preview(browser)
    assert "running" in page.text
    redis_client.hset("mail:heartbeats", "w1", int(time.time()))
    before = state(redis_client)
    after = browser.press(page, "Reap: move 1 job")
    assert after.status == 200
    assert "1 worker beat again, so nothing was taken from it" in after.said
    assert state(redis_client) == before


@pytest.mark.parametrize("beat", [b"garbage", b"nan", b"9999999999", b""])
def test_case_112_any_change_of_the_heartbeat_counts_as_a_beat(
    beat: bytes, browser: Browser, redis_client: Redis
) -> None:
    stale_worker(redis_client)
    page = preview(browser)
    redis_client.hset("mail:heartbeats", "w1", beat)
    before = state(redis_client)
    after = browser.press(page, "Reap: move 1 job")
    assert after.status == 200
    assert "nothing was taken" in after.said
    assert state(redis_client) == before


def test_a_reap_moves_what_the_preview_named_where_it_said(browser: Browser, redis_client: Redis) -> None:
    fresh, last, bad = job("fresh", 1, 0), job("last", 2, 3), b"not json"
    stale_worker(redis_client, "w1", fresh, last, bad)
    page = preview(browser)
    named = {
        text: row.text for row in page.rows[1:] for text in ("fresh", "last", "not json") if text in row.text
    }
    assert "to pending" in named["fresh"]
    assert "to dead" in named["last"]
    assert "to dead" in named["not json"]
    assert "runs twice" in page.text
    after = browser.press(page, "Reap: move 3 jobs")
    assert "1 job went back to pending and 2 jobs went to dead" in after.said
    found = state(redis_client)
    assert found.pop("mail:pending") == [job("fresh", 1, 1)]
    assert sorted(found.pop("mail:dead"))[0] == bad
    assert found == {}
    again = browser.press(page, "Reap: move 3 jobs")
    assert "Already reaped" in again.said
    assert redis_client.llen("mail:pending") == 1


def test_an_orphan_list_is_reaped_on_the_word_of_an_operator(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:processing:w3", job("m-1", None, 0))
    page = preview(browser, "w3")
    assert "orphan" in page.text
    browser.press(page, "Reap: move 1 job")
    assert state(redis_client) == {"mail:pending": [job("m-1", None, 1)]}


def test_an_orphan_that_begins_to_beat_keeps_its_job(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:processing:w3", job("m-1", None, 0))
    page = preview(browser, "w3")
    redis_client.hset("mail:heartbeats", "w3", int(time.time()))
    before = state(redis_client)
    after = browser.press(page, "Reap: move 1 job")
    assert "nothing was taken" in after.said
    assert state(redis_client) == before


def test_all_that_may_be_reaped_is_reaped_at_once_and_the_living_are_left(
    browser: Browser, redis_client: Redis
) -> None:
    stale_worker(redis_client, "dead-1", job("a", None, 0), job("b", None, 0))
    redis_client.rpush("other:processing:lost", job("c", None, 0))
    redis_client.hset("mail:heartbeats", "alive", int(time.time()) + 3)
    redis_client.rpush("mail:processing:alive", job("d", None, 0))
    label = "Reap 1 stale and 1 orphan: 3 jobs"

    def both() -> Page | None:
        redis_client.hset("mail:heartbeats", "alive", int(time.time()))
        page = browser.open("/redis/workers")
        return browser.follow(page, label) if label in page.links() else None

    page = wait_until(both, 20, "the stale worker and the orphan can be reaped together", every_seconds=0.3)
    assert page is not None
    assert {row.all("td")[0].text for row in page.rows} == {"dead-1", "lost"}
    after = browser.press(page, "Reap 1 stale and 1 orphan: 3 jobs")
    assert "3 jobs went back to pending" in after.said
    found = state(redis_client)
    found.pop("mail:heartbeats")
    assert found == {
        "mail:pending": [job("b", None, 1), job("a", None, 1)]
        if found["mail:pending"][0] == job("b", None, 1)
        else [job("a", None, 1), job("b", None, 1)],
        "other:pending": [job("c", None, 1)],
        "mail:processing:alive": [job("d", None, 0)],
    }


def test_a_live_worker_has_no_reap_and_its_preview_refuses(browser: Browser, redis_client: Redis) -> None:
    redis_client.hset("mail:heartbeats", "w1", int(time.time()))
    redis_client.rpush("mail:processing:w1", job("a"))
    page = browser.open("/redis/workers")
    assert "Reap" not in page.links(page.row("w1"))
    shown = browser.open("/redis/q/mail/reap?worker=w1")
    assert shown.status == 200
    assert [form for form in shown.forms() if "reaps" in form.action] == []
    before = state(redis_client)
    fields = [("act", "a" * 32), ("worker", "w1"), ("seen", f"{int(time.time())}")]
    answer = browser.ask("POST", "/redis/q/mail/reaps", fields)
    assert "nothing was taken" in answer.said
    assert state(redis_client) == before


@pytest.mark.parametrize("worker", ["w:1 /?#", '"><b>', "javascript:alert(1)", "é\udcff", "..", "x" * 150])
def test_a_worker_with_any_name_is_reaped(worker: str, browser: Browser, redis_client: Redis) -> None:
    name = worker.encode("utf-8", "surrogateescape")
    redis_client.rpush(b"mail:processing:" + name, job("a", None, 0))
    page = browser.open("/redis/workers")
    shown = browser.open(
        next(one.get("href") for one in page.root.all("a") if "/reap?worker=" in one.get("href"))
    )
    browser.press(shown, "Reap: move 1 job")
    assert state(redis_client) == {"mail:pending": [job("a", None, 1)]}
