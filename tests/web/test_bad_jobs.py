"""Entries that are no jobs: every list shows them, marked, and lets go of them one by one."""

from __future__ import annotations

import time

import pytest

from tests.support.pages import Browser, Page
from tests.web.conftest import Redis, job
from tests.web.state import state, without

OK = job("ok-job")
BYTES = b"\x80\x04\x95\xff\xfe."
NO_JOBS = {
    "bytes": BYTES,
    "text": b"not json",
    "empty": b"",
    "cut off": b'{"id":',
    "list": b"[]",
    "word": b"true",
    "number": b"12",
    "null": b"null",
    "nul": b"\x00",
    "markup": b"<script>alert(1)</script>",
    "nan": b"NaN",
    "two": b'{"id":1}{"id":2}',
    "direction": "\u202e{".encode(),
    "huge": b"\xff" * 1_000_000,
}


def put(client: Redis, place: str, *raws: bytes) -> str:
    """Put entries into a list of mail; its key."""
    key = f"mail:processing:{'w1'}" if place == "processing" else f"mail:{place}"
    if place == "delayed":
        due = time.time() + 3600
        client.zadd(key, {raw: due + at for at, raw in enumerate(raws)})
    else:
        client.rpush(key, *raws)
    return key


def open_list(browser: Browser, place: str) -> Page:
    page = browser.open(f"/redis/q/mail/{place}")
    assert page.status == 200
    return page


@pytest.mark.parametrize("place", ["pending", "processing", "delayed", "dead"])
def test_case_1_bytes_that_no_decoder_takes_are_a_row_that_can_be_discarded(
    place: str, browser: Browser, redis_client: Redis
) -> None:
    key = put(redis_client, place, BYTES, OK)
    before = state(redis_client)
    queue_page = browser.open("/redis/q/mail")
    assert queue_page.status == 200
    page = open_list(browser, place)
    for shown in (queue_page, page):
        assert "ok-job" in shown.text
        assert "\\x80\\x04\\x95\\xff\\xfe." in shown.text
    assert len(page.rows) == 2
    after = browser.press(page, "Discard", page.row("\\x80\\x04"))
    assert after.status == 200
    assert "Discarded 1 job" in after.said
    assert state(redis_client) == without(before, key, BYTES) | {"mail:trash": [BYTES]}


@pytest.mark.parametrize("place", ["pending", "processing", "delayed", "dead"])
@pytest.mark.parametrize("raw", NO_JOBS.values(), ids=NO_JOBS)
def test_case_1_whatever_an_entry_is_its_row_stands_beside_the_good_one(
    place: str, raw: bytes, browser: Browser, redis_client: Redis
) -> None:
    key = put(redis_client, place, raw, OK)
    before = state(redis_client)
    for address in ("/redis/", "/redis/q/mail", "/redis/workers", f"/redis/q/mail/{place}"):
        assert browser.open(address).status == 200
    page = open_list(browser, place)
    assert len(page.rows) == 2
    assert len(page.html) < 200_000
    bad = next(row for row in page.rows if "ok-job" not in row.text)
    detail = browser.follow(page, "", bad)
    assert detail.status == 200
    after = browser.press(page, "Discard", bad)
    assert after.status == 200
    assert state(redis_client) == without(before, key, raw) | {"mail:trash": [raw]}


def test_case_3_what_is_not_json_says_so_and_each_entry_can_be_discarded(
    browser: Browser, redis_client: Redis
) -> None:
    raws = [b"not json", b"", b'{"id":']
    redis_client.rpush("mail:dead", *raws)
    page = open_list(browser, "dead")
    assert len(page.rows) == 3
    for text, mark in (("not json", "not JSON"), ("", "empty"), ('{"id":', "not JSON")):
        assert any(text in row.text and mark in row.text for row in page.rows), (text, mark)
    for left in (2, 1, 0):
        page = browser.press(page, "Discard", page.rows[0])
        assert len([row for row in page.rows if row.all("form")]) == left
    assert redis_client.exists("mail:dead") == 0
    assert sorted(state(redis_client)["mail:trash"]) == sorted(raws)


def test_case_3_a_restore_brings_the_exact_bytes_back(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", BYTES, OK)
    before = state(redis_client)
    page = open_list(browser, "dead")
    page = browser.press(page, "Discard", page.row("\\x80"))
    page = browser.press(page, "Undo")
    assert "Restored 1 job to dead" in page.said
    after = state(redis_client)
    assert sorted(after.pop("mail:dead")) == sorted(before["mail:dead"])
    assert after.get("mail:trash", []) == []


def test_case_5_odd_payloads_and_counters_are_shown_as_they_are(
    browser: Browser, redis_client: Redis
) -> None:
    payloads: tuple[object, ...] = (None, '{"id":null}', 0, False, [], {}, "", 1.5, "null")
    for payload in payloads:
        redis_client.rpush("mail:dead", job(f"n{payload}", payload))
    odd = {"x-three": b'"three"', "x-null": b"null", "x-list": b"[1]", "x-float": b"1.5", "x-minus": b"-1"}
    for id_text, attempts in odd.items():
        redis_client.rpush("mail:dead", b'{"id":"%s","attempts":%s}' % (id_text.encode(), attempts))
    redis_client.rpush("mail:dead", b'{"id":"x-missing"}', b'{"id":null}', b'{"id":{"a":1}}', b"{}")
    page = open_list(browser, "dead")
    assert len(page.rows) == len(payloads) + len(odd) + 4
    for payload in payloads:
        assert f"n{payload}" in page.text
    for id_text, text in (
        ("nNone", "null"),
        ("n0", "0"),
        ("nFalse", "false"),
        ("n[]", "[]"),
        ("n1.5", "1.5"),
    ):
        assert any(id_text in row.text and f" {text} " in row.text for row in page.rows), (id_text, text)
    for id_text, shown in (("x-three", "three"), ("x-null", "null"), ("x-list", "[1]"), ("x-float", "1.5")):
        assert shown in page.row(id_text).text
    assert "x-missing" in page.text
