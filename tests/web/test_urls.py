"""Addresses: two names never share one, and `next` and `back` never lead elsewhere."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.queue.address import Address
from dashboard.settings import Settings
from dashboard.web import create_app
from dashboard.web.urls import Urls, dom_id, own_path

URLS = Urls("/ops", "redis")
DIGEST = "a" * 40


def test_every_address_honours_the_prefix() -> None:
    address = Address("dead", 3, DIGEST, 0)
    for href in (
        URLS.overview(),
        URLS.workers("stale"),
        URLS.queue(b"q"),
        URLS.place(b"q", "dead"),
        URLS.place(b"q", ""),
        URLS.job(b"q", address, "x"),
        URLS.job_bytes(b"q", address),
        URLS.reap(b"q", b"w"),
        URLS.reap_stale(b"q"),
        URLS.act(b"q", "retries"),
        URLS.reaps(),
        URLS.demo_signals(),
        URLS.sign_in(),
        URLS.sign_out(),
        URLS.rail("/x"),
        URLS.asset("css/app.css", "1"),
    ):
        assert href.startswith("/ops/")


def test_an_id_with_every_sign_travels_in_the_query() -> None:
    id_text = "repeat:ab/12:99?x#y&z=+ \u00e9"
    parts = urlsplit(URLS.job(b"q", Address("delayed", 3, DIGEST, 0, b"1.5"), id_text))
    assert parts.fragment == ""
    query = parse_qs(parts.query)
    assert query["id"] == [id_text]
    assert Address.parse(query["at"][0]).score == b"1.5"


@given(st.binary(), st.binary())
def test_ids_of_elements_are_plain_identifiers_and_differ_by_name(one: bytes, other: bytes) -> None:
    assert re.fullmatch(r"q-[0-9a-f]{16}", dom_id("q", one))
    assert (dom_id("q", one) == dom_id("q", other)) == (one == other)


@pytest.mark.parametrize("path", ["/redis/", "/redis/q/mail/dead?at=5&x=1", "/-/sign-in"])
def test_paths_of_this_console_are_kept(path: str) -> None:
    assert own_path(path, "") == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "redis/",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil",
        "https://evil.example/",
        "/\t/evil.example",
        "/redis\n",
        "javascript:alert(1)",
        "/ redis\x00",
        "/" + "x" * 3000,
        " /redis",
        "http:/x",
    ],
)
def test_paths_of_anybody_else_are_dropped(path: str) -> None:
    assert own_path(path, "") == ""


def test_below_a_prefix_only_paths_below_it_are_kept() -> None:
    assert own_path("/ops/redis/", "/ops") == "/ops/redis/"
    assert own_path("/opsx/redis/", "/ops") == ""
    assert own_path("/redis/", "/ops") == ""


def test_every_address_is_a_route() -> None:
    urls, address = Urls("", "redis"), Address("dead", 3, DIGEST, 0)
    routes = create_app(Settings()).url_map.bind("localhost")
    for href in (
        urls.overview(),
        urls.workers("stale"),
        urls.rail("/x"),
        urls.queue(b"a/b"),
        *[
            urls.place(b"..", place)
            for place in ("pending", "processing", "delayed", "dead", "workers", "trash")
        ],
        urls.job(b"q\xff", address, "x"),
        urls.job_bytes(b"q", address),
        urls.reap(b"q", b"w"),
        urls.reap_stale(),
        urls.sign_in(),
        urls.asset("css/app.css", "1"),
    ):
        assert routes.match(urlsplit(href).path, method="GET")
    verbs = ("retries", "discards", "restores", "promotions", "reaps", "pause", "resume")
    for action in (
        *[urls.act(b"q", verb) for verb in verbs],
        urls.reaps(),
        urls.demo_signals(),
        urls.sign_out(),
    ):
        assert routes.match(action, method="POST")
