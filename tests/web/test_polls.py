"""Regions: the same figures as the page, 304 when nothing changed, the frame left alone."""

from __future__ import annotations

import re
import time

import pytest

from tests.support.pages import Browser, Page
from tests.support.processes import wait_until
from tests.web.conftest import Redis, job


def numbers(page: Page) -> list[str]:
    region = next((one for one in page.root.walk() if one.get("id") == "live"), page.root)
    return re.findall(r"[\d,]*\d", region.text)


def live(page: Page) -> tuple[str, str]:
    """What the region of a page polls, and its tag."""
    region = next(one for one in page.root.walk() if one.get("id") == "live")
    return region.get("hx-get"), region.get("hx-ptag")


def test_case_109_a_poll_says_the_same_numbers_as_the_page(browser: Browser, redis_client: Redis) -> None:
    fill = "for i=1,tonumber(ARGV[1]) do redis.call('RPUSH',KEYS[1],i) end"
    for count in (*[100_000] * 12, 34_567):
        redis_client.eval(fill, 1, "mail:pending", str(count))
    redis_client.rpush("mail:dead", *[job(number) for number in range(1204)])
    redis_client.zadd("mail:delayed", {job(number): 9e9 + number for number in range(30)})
    for path in ("/redis/", "/redis/q/mail", "/redis/q/mail/pending", "/redis/q/mail/dead", "/redis/workers"):
        page = browser.open(path)
        url, _ = live(page)
        assert url == path
        poll = browser.poll(url)
        if path != "/redis/workers":
            assert "1,234,567" in page.text
            assert "1,234,567" in poll.text
        assert numbers(page) == numbers(poll)


def test_S46_every_length_shown_is_that_of_the_instant(browser: Browser, redis_client: Redis) -> None:
    for pending, dead, delayed in ((3, 1, 2), (7, 0, 4), (0, 5, 0)):
        redis_client.flushall()
        for key, count in (("mail:pending", pending), ("mail:dead", dead)):
            if count:
                redis_client.rpush(key, *[job(number) for number in range(count)])
        if delayed:
            redis_client.zadd("mail:delayed", {job(number): 9e9 for number in range(delayed)})
        for poll in (False, True):
            page = browser.poll("/redis/q/mail") if poll else browser.open("/redis/q/mail")
            links = page.links()
            for place, count in (("Pending", pending), ("Dead", dead), ("Delayed", delayed)):
                assert any(re.fullmatch(rf"{place} ?{count}", text) for text in links), (
                    place,
                    count,
                    list(links),
                )


def test_S46_sums_over_workers_are_at_most_two_seconds_old(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:pending", job("1"))
    browser.open("/redis/q/mail")
    redis_client.hset("mail:heartbeats", "w1", int(time.time()))
    redis_client.rpush("mail:processing:w1", job("a"), job("b"))

    def shows_two() -> bool:
        return any(re.fullmatch(r"Processing ?2", text) for text in browser.open("/redis/q/mail").links())

    wait_until(shows_two, 4, "the tab says that two jobs are in processing", every_seconds=0.1)


@pytest.mark.parametrize("path", ["/redis/", "/redis/q/mail", "/redis/q/mail/dead", "/redis/q/mail/trash"])
def test_an_unchanged_region_is_a_304_and_a_changed_one_is_sent(
    path: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"), job("B"))
    url, tag = live(browser.open(path))
    assert tag
    same = browser.poll(url, tag)
    assert same.status == 304
    assert same.html == ""
    assert same.headers["HX-PTag"] == tag
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", same.headers["X-As-Of"])
    redis_client.lpush("mail:dead", job("N"), job("M"))
    page = browser.open("/redis/q/mail/dead")
    browser.press(page, "Discard", page.row("A"))
    other = browser.poll(url, tag)
    assert other.status == 200
    assert other.headers["HX-PTag"] != tag


def test_a_poll_is_the_region_alone_and_a_boosted_form_gets_the_page(
    browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    poll = browser.poll("/redis/q/mail/dead")
    assert poll.root.all("html") == []
    assert len(poll.rows) == 1
    boosted = browser.open("/redis/q/mail/dead", {"HX-Request": "true", "HX-Request-Type": "full"})
    assert len(boosted.root.all("html")) == 1
    for page in (poll, boosted):
        assert "HX-Request" in page.headers["Vary"]


def test_the_rail_polls_by_itself(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:pending", job("A"))
    page = browser.open("/redis/q/mail/dead")
    rail = next(one for one in page.root.walk() if one.get("id") == "rail")
    poll = browser.poll(rail.get("hx-get"))
    assert poll.status == 200
    assert poll.root.all("html") == []
    current = [one.text for one in poll.root.all("a") if one.get("aria-current") == "page"]
    assert len(current) == 1
    assert "mail" in current[0]
    assert browser.poll(rail.get("hx-get"), poll.headers["HX-PTag"]).status == 304


def test_the_interval_is_the_setting_and_zero_means_no_polling(console: object, redis_client: Redis) -> None:
    redis_client.rpush("mail:pending", job("A"))
    for seconds, expected in ((50.0, "every 50s"), (0.5, "every 0.5s")):
        page = Browser(console(poll_seconds=seconds).test_client()).open("/redis/")  # type: ignore[operator]
        assert expected in page.html
    page = Browser(console(poll_seconds=0.0).test_client()).open("/redis/")  # type: ignore[operator]
    assert "hx-trigger" not in page.html


def test_an_error_in_a_region_is_a_fragment(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:pending", job("A"))
    poll = browser.poll("/redis/q/nobody/dead")
    assert poll.status == 404
    assert poll.root.all("html") == []
    assert "There is no queue nobody here" in poll.text
