"""An act moves exactly the entry that was shown, or says that it is no longer there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.pages import Browser
from tests.web.conftest import Redis, job
from tests.web.state import state

A, B, C, N = (job(name) for name in "ABCN")
Change = Callable[[Redis], object]
CHANGES: dict[str, Change] = {
    "one arrives at the left": lambda r: r.lpush("mail:dead", N),
    "one arrives at the right": lambda r: r.rpush("mail:dead", N),
    "the leftmost goes": lambda r: r.lpop("mail:dead"),
    "the rightmost goes": lambda r: r.rpop("mail:dead"),
    "many arrive at both ends": lambda r: (
        r.lpush("mail:dead", *[job(n) for n in range(300)]),
        r.rpush("mail:dead", N),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("verb", ["Discard", "Retry"])
def test_case_36_the_shown_entry_moves_though_the_list_moved(
    verb: str, change: Change, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", A, B, C)
    page = browser.open("/redis/q/mail/dead")
    change(redis_client)
    expected = [raw for raw in redis_client.lrange("mail:dead", 0, -1) if raw != B]
    after = browser.press(page, verb, page.row("B"))
    assert after.status == 200
    assert redis_client.lrange("mail:dead", 0, -1) == expected
    found = state(redis_client)
    moved = found["mail:trash"] if verb == "Discard" else found["mail:pending"]
    assert moved == ([B] if verb == "Discard" else [job("B", None, 0)])


def test_case_36_of_two_with_one_id_the_shown_one_moves(browser: Browser, redis_client: Redis) -> None:
    first, second = job("dup", "first"), job("dup", "second")
    redis_client.rpush("mail:dead", first, second)
    page = browser.open("/redis/q/mail/dead")
    browser.press(page, "Discard", page.row("second"))
    assert state(redis_client) == {"mail:dead": [first], "mail:trash": [second]}


@pytest.mark.parametrize("row", [0, 1])
def test_case_36_of_two_equal_entries_one_moves(row: int, browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("same"), job("same"))
    page = browser.open("/redis/q/mail/dead")
    browser.press(page, "Discard", page.rows[row])
    assert state(redis_client) == {"mail:dead": [job("same")], "mail:trash": [job("same")]}


def test_case_36_an_entry_that_is_gone_moves_nothing_and_says_so(
    browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", A, B, C)
    page = browser.open("/redis/q/mail/dead")
    redis_client.lrem("mail:dead", 0, B.decode())
    before = state(redis_client)
    for verb in ("Retry", "Discard"):
        after = browser.press(page, verb, page.row("B"))
        assert "1 job was no longer where this page showed it" in after.said
        assert state(redis_client) == before


def test_case_36_on_the_second_page_the_shown_entry_moves(
    console: Callable[..., Flask], redis_client: Redis
) -> None:
    browser = Browser(console(page_size=5).test_client())
    raws = [job(f"j{number:02}") for number in range(12)]
    redis_client.rpush("mail:dead", *raws)
    first = browser.open("/redis/q/mail/dead")
    assert len(first.rows) == 5
    second = browser.follow(first, "Older")
    assert [row.text[:3] for row in second.rows] == [
        "j05",
        "j06",
        "j07",
        "j08",
        "j09",
    ] or "j07" in second.text
    redis_client.lpush("mail:dead", N)
    after = browser.press(second, "Discard", second.row("j07"))
    assert "Discarded 1 job" in after.said
    assert "j06" in after.text
    assert redis_client.lrange("mail:dead", 0, -1) == [N, *raws[:7], *raws[8:]]


def test_case_36_ticked_rows_are_exactly_what_is_acted_on(browser: Browser, redis_client: Redis) -> None:
    raws = [job(name) for name in "ABCDE"]
    redis_client.rpush("mail:dead", *raws)
    page = browser.open("/redis/q/mail/dead")
    boxes = [page.box(page.row(f"job {name} ")) for name in "BD"]
    redis_client.lpush("mail:dead", N)
    after = browser.send(page.form("Retry selected").ticking(*boxes))
    assert "Retried 2 jobs" in after.said
    assert state(redis_client) == {
        "mail:dead": [N, raws[0], raws[2], raws[4]],
        "mail:pending": [job("B", None, 0), job("D", None, 0)],
    }


def test_case_43_words_of_our_own_addresses_are_ids_like_any_other(
    browser: Browser, redis_client: Redis
) -> None:
    names = ("all", "retry", "delete", "discards", "retries", "one", "bytes", "b")
    raws = [job(name) for name in names]
    redis_client.rpush("mail:dead", *raws)
    left = list(raws)
    for name, raw in zip(names[:-1], raws[:-1], strict=True):
        page = browser.open("/redis/q/mail/dead")
        links = [row for row in page.rows if page.links(row).get(name)]
        assert len(links) == 1
        after = browser.press(page, "Discard", links[0])
        assert after.status == 200
        left.remove(raw)
        assert redis_client.lrange("mail:dead", 0, -1) == left
    page = browser.open("/redis/q/mail/dead")
    assert page.form("Retry 1 dead job").label == "Retry 1 dead job"


def test_case_43_queues_named_like_our_addresses_are_queues_like_any_other(
    browser: Browser, redis_client: Redis
) -> None:
    names = ("workers", "q", "static", "reap", "-", "redis", "job", "rail", "sign-in")
    for name in names:
        redis_client.rpush(f"{name}s:dead", job("seen-me"))
    page = browser.open("/redis/")
    for name in names:
        shown = browser.follow(page, f"{name}s")
        assert shown.heading == f"{name}s"
        assert "seen-me" in shown.text
