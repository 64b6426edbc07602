"""A form is carried out once, whoever sends it how often; and the bytes stay what they were."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from dashboard.settings import Settings
from dashboard.web import create_app
from tests.support.pages import Browser, Page
from tests.web.conftest import Redis, job
from tests.web.state import state


@pytest.mark.parametrize("round_number", range(6))
def test_case_44_twenty_clicks_at_once_and_one_later_move_one_job(
    round_number: int, app: Flask, redis_client: Redis
) -> None:
    raws = [job(f"k{number}") for number in range(5)]
    redis_client.rpush("mail:dead", *raws)
    browser = Browser(app.test_client())
    page = browser.open("/redis/q/mail/dead")
    form = page.form("Retry", page.row("k2"))

    def click(_: int) -> Page:
        return Browser(app.test_client()).send(form)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(click, range(20)))
    answers.append(browser.send(form))
    assert [answer.status for answer in answers] == [200] * 21
    assert sum("Retried 1 job" in answer.said for answer in answers) == 1
    assert sum("Already retried" in answer.said for answer in answers) == 20
    assert state(redis_client) == {
        "mail:dead": [raws[0], raws[1], raws[3], raws[4]],
        "mail:pending": [job("k2", None, 0)],
    }


@pytest.mark.parametrize("verb", ["Retry", "Discard"])
def test_case_44_a_second_click_leaves_an_equal_entry_alone(
    verb: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("same"), job("same"), job("same"))
    page = browser.open("/redis/q/mail/dead")
    form = page.form(verb, page.rows[1])
    browser.send(form)
    again = browser.send(form)
    assert "Already" in again.said
    assert redis_client.llen("mail:dead") == 2


def test_case_44_the_forms_of_all_acts_are_carried_out_once(browser: Browser, redis_client: Redis) -> None:
    redis_client.zadd("mail:delayed", {job("d1"): 1, job("d2"): 2, job("d3"): 9_000_000_000})
    redis_client.rpush("mail:dead", job("x1"), job("x2"))
    forms = [
        ("/redis/q/mail/delayed", "Promote 2 due jobs"),
        ("/redis/q/mail/dead", "Retry 2 dead jobs"),
        ("/redis/q/mail", "Pause mail"),
    ]
    for address, label in forms:
        page = browser.open(address)
        form = page.form(label)
        first = browser.send(form)
        assert first.status == 200
        after = state(redis_client)
        again = browser.send(form)
        assert "Already" in again.said, again.said
        assert state(redis_client) == after
    assert len(state(redis_client)["mail:pending"]) == 4


ODD = '{"attempts":3, "id":"x1","payload":{"z":1e3,"a":"é","n":12345678901234567890},"extra":true}'.encode()


def test_case_45_a_retry_keeps_every_byte_but_the_counter(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", ODD)
    page = browser.open("/redis/q/mail/dead")
    browser.press(page, "Retry", page.row("x1"))
    assert state(redis_client) == {"mail:pending": [ODD.replace(b'"attempts":3', b'"attempts":0')]}


@pytest.mark.parametrize(
    "raw",
    [
        b'{ "id" : "x1" , "payload" : [ ] , "attempts" : 3 }',
        b'{"id":"x1","payload":{"a":[],"f":0.1234567890123456,"z":1.0,"s":"\\u00e9\\/"},"attempts":3}',
        b'{"attempts":1,"id":"x1","attempts":3}',
        b'{"id":"x1","payload":{"attempts":9},"\\u0061ttempts":3}',
        b'{"id":"x1","payload":' + b"[" * 2000 + b"]" * 2000 + b',"attempts":3}',
        b'{"id":"x1"}',
    ],
)
def test_case_45_whatever_a_job_looks_like_its_other_bytes_stay(
    raw: bytes, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", raw)
    page = browser.open("/redis/q/mail/dead")
    browser.press(page, "Retry", page.row("x1"))
    after = state(redis_client)
    assert list(after) == ["mail:pending"]
    assert after["mail:pending"] == [
        raw[: raw.rfind(b"3")] + b"0" + raw[raw.rfind(b"3") + 1 :] if b"3" in raw else raw
    ]


def test_case_51_the_payload_is_not_wrapped(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("p1", {"a": 1}))
    page = browser.open("/redis/q/mail/dead")
    browser.press(page, "Retry", page.row("p1"))
    raw = redis_client.lindex("mail:pending", -1)
    assert raw is not None
    assert json.loads(raw) == {"id": "p1", "payload": {"a": 1}, "attempts": 0}
    assert redis_client.exists("mail:dead") == 0


def test_S35_two_operators_who_retry_the_same_job_make_one_copy(redis_url: str, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"), job("B"))
    ann, bob = (
        Browser(create_app(Settings(redis_url=redis_url, operator_name=name)).test_client())
        for name in ("ann", "bob")
    )
    anns, bobs = ann.open("/redis/q/mail/dead"), bob.open("/redis/q/mail/dead")
    first = ann.press(anns, "Retry", anns.row("A"))
    second = bob.press(bobs, "Retry", bobs.row("A"))
    assert "Retried 1 job" in first.said
    assert "no longer where this page showed it" in second.said
    assert state(redis_client) == {"mail:dead": [job("B")], "mail:pending": [job("A", None, 0)]}


def test_S35_one_page_open_twice_says_who_did_it_first(redis_url: str, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"))
    ann, bob = (
        Browser(create_app(Settings(redis_url=redis_url, operator_name=name)).test_client())
        for name in ("ann", "bob")
    )
    page = ann.open("/redis/q/mail/dead")
    form = page.form("Retry", page.row("A"))
    ann.send(form)
    assert "Already retried 0 s ago by ann" in bob.send(form).said.replace("1 s", "0 s")
    assert state(redis_client) == {"mail:pending": [job("A", None, 0)]}
