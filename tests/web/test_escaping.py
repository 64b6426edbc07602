"""Nothing that comes from Redis or from an address becomes markup, a link elsewhere, or an instruction."""

from __future__ import annotations

import time
from urllib.parse import quote

import pytest

from tests.support.html_tree import Element
from tests.support.pages import Browser, Page
from tests.web.conftest import Redis, job

HOSTILE = [
    '"><h1>x',
    "' onfocus='a",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "{{ 7*7 }}",
    "{% raw %}",
    '" hx-get="/evil" hx-trigger="load',
    "&lt;b&gt;",
    "<img src=x onerror=alert(1)>",
    "a\" data-x='1",
    "\u2028<b>",
    "+ADw-script+AD4-",
    "`${alert(1)}`",
]
OURS = frozenset(
    (
        "html head meta title link script body a div header footer main nav section h1 h2 h3 p ul ol li "
        "span b small code pre table thead tbody tr th td caption form input button label select option "
        "svg path circle rect g line polyline use time details summary dl dt dd strong em br kbd i article "
        "aside hr document"
    ).split()
)


def skeleton(page: Page) -> list[str]:
    """Every element and attribute name of a page, in order."""
    return [f"{one.tag} {' '.join(sorted(one.attributes))}" for one in page.root.walk()]


def check(page: Page) -> None:
    """No element, attribute or target that our templates did not write."""
    assert page.status in (200, 404, 409, 422), page.status
    for one in page.root.walk():
        assert one.tag in OURS, (page.url, one.tag)
        for name, value in one.attributes.items():
            assert not name.startswith("on"), (page.url, one.tag, name)
            if name in ("href", "src", "action", "formaction", "hx-get", "hx-post"):
                assert value.startswith(("/redis/", "/-/", "#")), (page.url, name, value)
            if name == "style":
                raise AssertionError(f"inline style at {page.url}")
        if one.tag == "script":
            assert one.get("src").startswith("/-/static/"), page.url
    assert "49" not in [one.text for one in page.root.walk()]


def fill(client: Redis, text: str) -> None:
    """The text in every place that a page shows."""
    raw = job(
        text, {text: text}, 9, error=f"{text}\n{text}", traceback=text, name=text, failed_at=1, other=text
    )
    for queue in ("mail", text):
        client.rpush(f"{queue}:pending", raw)
        client.rpush(f"{queue}:dead", raw, text.encode())
        client.zadd(f"{queue}:delayed", {raw: time.time() - 5, text.encode(): time.time() + 50})
        client.rpush(f"{queue}:processing:{text}", raw, text.encode())
        client.hset(f"{queue}:heartbeats", mapping={text: 0, "odd": text})
        client.hset(f"{queue}:workers", f"i:{text}", job(text, host=text, pid=text, process=text))
        client.hset(f"{queue}:policy", mapping={"reaping": text, "stale_after_seconds": text})


def crawl(browser: Browser, start: str) -> list[Page]:
    """Every page that can be reached by links, once for each shape of address."""
    waiting, seen = [start], {start}
    pages: list[Page] = []
    while waiting and len(pages) < 60:
        page = browser.open(waiting.pop(0))
        pages.append(page)
        for link in page.root.all("a"):
            href = link.get("href").partition("#")[0]
            if href and href not in seen and "/bytes" not in href:
                seen.add(href)
                waiting.append(href)
    return pages


@pytest.mark.parametrize("text", HOSTILE)
def test_case_87_89_no_name_id_or_payload_becomes_markup_anywhere(
    text: str, browser: Browser, redis_client: Redis
) -> None:
    fill(redis_client, text)
    pages = crawl(browser, "/redis/")
    assert len(pages) > 20
    for page in pages:
        check(page)


@pytest.mark.parametrize("text", HOSTILE)
def test_case_87_an_unknown_name_in_the_address_is_a_404_without_an_echo(
    text: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:pending", job("1"))
    for address, plain in (
        (f"/redis/q/{quote(text, safe='')}/dead", "/redis/q/nobody/dead"),
        ("/redis/q/" + "".join(f"~{byte:02X}" for byte in text.encode()) + "/dead", "/redis/q/nobody/dead"),
        (f"/redis/q/mail/{quote(text, safe='')}", "/redis/q/mail/nothing"),
        (f"/{quote(text, safe='')}", "/nowhere"),
    ):
        page = browser.open(address)
        assert page.status == 404
        check(page)
        assert skeleton(page) == skeleton(browser.open(plain)), address


@pytest.mark.parametrize("text", HOSTILE)
def test_case_89_nothing_in_the_query_becomes_markup(
    text: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("1"))
    for query in (
        "did=retried&moved=1&again=1&first=1&by=",
        "at=",
        "state=",
        "did=",
        "id=",
        "current=",
        "page=",
    ):
        for path in ("/redis/", "/redis/workers", "/redis/q/mail/dead", "/redis/rail"):
            page = browser.open(f"{path}?{query}{quote(text, safe='')}")
            check(page)
    check(browser.open(f"/-/sign-in?next={quote(text, safe='')}"))


def test_case_89_fragments_are_as_safe_as_pages(browser: Browser, redis_client: Redis) -> None:
    for text in HOSTILE:
        fill(redis_client, text)
    for path in (
        "/redis/",
        "/redis/workers",
        "/redis/q/mail",
        "/redis/q/mail/dead",
        "/redis/rail?current=/redis/",
    ):
        page = browser.poll(path)
        assert page.status == 200
        check(page)


def test_the_tree_of_the_test_sees_what_is_not_ours() -> None:
    found = Element("document", {})
    found.children.append(Element("svg", {"onload": "x"}, found))
    with pytest.raises(AssertionError):
        check(Page(200, "/x", None, "", found))  # type: ignore[arg-type]
