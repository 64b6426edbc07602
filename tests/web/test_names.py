"""Names are any bytes: each queue and each job has its own address, each row an id that is a selector."""

from __future__ import annotations

import re
import time
from urllib.parse import urlsplit

import pytest

from dashboard.web.texts import shown
from tests.support.pages import Browser, Page
from tests.web.conftest import Redis, job
from tests.web.state import state

NAMES = [
    "eu/mail",
    "x/dead",
    "..",
    ".",
    "/lead",
    "trail/",
    "a//b",
    "a b?c#d",
    "50%41",
    "café+x",
    "queue+name",
    "queue name",
    "a\\b",
    "{mail}",
    "*?[]",
    "it's",
    'say "hi"',
    "<script>alert(1)</script>",
    "q\udcff",
    "line\nbreak",
    "~41",
    "%2e%2e",
    "http://evil.example",
    "x" * 150,
    "\u202etxt.exe",
    "日本",
]
SELECTOR = re.compile(r"#?[A-Za-z][A-Za-z0-9_-]*|this|closest [a-z]+|find [a-z]+", re.ASCII)


def raw_name(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("name", NAMES)
def test_case_73_from_the_overview_every_name_leads_to_its_own_pages(
    name: str, browser: Browser, redis_client: Redis
) -> None:
    queue = raw_name(name)
    redis_client.rpush(queue + b":pending", job("seen-me"))
    redis_client.rpush(queue + b":dead", job("dead-me"))
    redis_client.rpush(b"x:pending", job("other"))
    overview = browser.open("/redis/")
    assert overview.status == 200
    page = browser.follow(overview, shown(queue))
    assert page.status == 200
    assert page.heading == shown(queue)
    assert "seen-me" in page.text
    assert "other" not in page.text
    for tab in ("Pending", "Processing", "Delayed", "Dead", "Workers", "Trash"):
        assert browser.follow(page, tab).status == 200
    detail = browser.follow(page, "seen-me")
    assert "seen-me" in detail.heading
    dead = browser.follow(page, "Dead")
    browser.press(dead, "Retry", dead.row("dead-me"))
    after = state(redis_client)
    key = shown_key(queue + b":pending")
    assert after == {key: [job("seen-me"), job("dead-me", None, 0)], "x:pending": [job("other")]}


def shown_key(key: bytes) -> str:
    return key.decode("utf-8", "backslashreplace")


def test_case_73_no_two_names_share_an_address(browser: Browser, redis_client: Redis) -> None:
    for name in NAMES:
        redis_client.rpush(raw_name(name) + b":pending", job("1"))
    page = browser.open("/redis/")
    hrefs = {
        link.get("href") for link in page.root.all("a") if re.fullmatch(r"/redis/q/[^/]+", link.get("href"))
    }
    assert len(hrefs) == len(NAMES)


@pytest.mark.parametrize(
    ("one", "other"), [("queue+name", "queue name"), ("a/b", "a~2Fb"), ("A", "a"), ("é", "e\u0301")]
)
def test_case_75_names_that_look_alike_open_their_own_jobs(
    one: str, other: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush(f"{one}:pending", job("p1"))
    redis_client.rpush(f"{other}:pending", job("s1"))
    overview = browser.open("/redis/")
    for name, mine, others in ((one, "p1", "s1"), (other, "s1", "p1")):
        page = browser.open(overview.links()[shown(name)])
        assert mine in page.text
        assert f" {others} " not in page.text


ID_TEXTS = [
    "repeat:ab/12:99?x#y",
    "a b",
    "50%41",
    "é+ü",
    '"><b>',
    "..",
    "a&b=c",
    "~",
    "x" * 300,
    "\u202e",
    "1\n2",
    "all",
]


@pytest.mark.parametrize("id_text", ID_TEXTS)
def test_case_79_a_job_with_any_id_can_be_run_now(
    id_text: str, browser: Browser, redis_client: Redis
) -> None:
    raw = job(id_text)
    redis_client.zadd("mail:delayed", {raw: time.time() + 3600})
    page = browser.open("/redis/q/mail/delayed")
    detail = browser.open(page.rows[0].all("a")[0].get("href"))
    assert detail.status == 200
    after = browser.press(detail, "Run now")
    assert after.status == 200
    assert "Promoted 1 job" in after.said
    assert state(redis_client) == {"mail:pending": [raw]}


def test_case_79_numbers_and_missing_ids_have_pages_too(browser: Browser, redis_client: Redis) -> None:
    for raw in (b'{"id":12345678901234567890}', b'{"payload":1}', b'{"id":null}', b'{"id":["a"]}'):
        redis_client.delete("mail:dead")
        redis_client.rpush("mail:dead", raw)
        page = browser.open("/redis/q/mail/dead")
        assert browser.open(page.rows[0].all("a")[0].get("href")).status == 200


def all_pages(browser: Browser) -> list[Page]:
    paths = ["/redis/", "/redis/workers", "/redis/q/mail", "/redis/reap-stale"]
    paths += [
        f"/redis/q/mail/{place}" for place in ("pending", "processing", "delayed", "dead", "workers", "trash")
    ]
    return [browser.open(path) for path in paths]


def test_case_83_ids_are_unique_and_every_target_is_a_selector(browser: Browser, redis_client: Redis) -> None:
    twins = [job("a.b:c d"), job("a.b:c d"), job("#x"), b"", b"\xff", job("'\"><b>")]
    redis_client.rpush("mail:dead", *twins)
    redis_client.rpush("mail:pending", *twins)
    redis_client.zadd("mail:delayed", dict.fromkeys(twins, 1000000000.0))
    for worker in ("w.1:2 #", "w'\"<b>", "é"):
        redis_client.rpush(f"mail:processing:{worker}", *twins)
        redis_client.hset("mail:heartbeats", worker, 1)
    for page in all_pages(browser):
        assert page.status == 200
        assert len(page.ids) == len(set(page.ids)), page.url
        assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", one) for one in page.ids), page.ids
        for element in page.root.walk():
            for name in ("hx-target", "hx-select", "aria-labelledby", "aria-controls", "form", "for"):
                target = element.get(name)
                if target:
                    assert SELECTOR.fullmatch(target), (page.url, name, target)
                    if target.startswith("#") or name in ("aria-labelledby", "form", "for"):
                        assert target.removeprefix("#") in page.ids, (page.url, name, target)


def test_case_83_a_row_keeps_its_id_when_others_come_and_go(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"), job("B"))
    before = browser.open("/redis/q/mail/dead").row("B").get("id")
    redis_client.lpush("mail:dead", job("N"))
    redis_client.lrem("mail:dead", 1, job("A").decode())
    assert browser.open("/redis/q/mail/dead").row("B").get("id") == before


def test_S47_a_reserved_name_is_shown_and_nothing_is_done_to_it(
    browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("x:processing:y:dead", job("1"))
    redis_client.rpush("dead:dead", job("2"))
    before = state(redis_client)
    page = browser.open("/redis/")
    assert "ambiguous name" in page.text
    shown_page = browser.follow(page, "dead")
    assert [form.label for form in shown_page.forms() if "/redis/" in form.action] == []
    answer = browser.ask("POST", f"{urlsplit(shown_page.url).path}/pause", [("act", "a" * 32)])
    assert answer.status == 409
    assert "two different queues" in answer.text
    assert state(redis_client) == before
