"""What a page does while one looks at it: it renews itself, and never at the cost of what one is doing."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser, Page, Route, expect
from werkzeug.serving import make_server

from dashboard.settings import Settings
from dashboard.web import create_app

Redis = redis.Redis
POLL_SECONDS = 1.0
LIVE = re.compile(r"^Live$")
HOUR_MS = 3_600_000


@pytest.fixture
def address(redis_url: str) -> Iterator[str]:
    """Where a console of its own answers, by threads of this process."""
    app = create_app(Settings(redis_url=redis_url, poll_seconds=POLL_SECONDS))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.port}/{app_name(app)}"
    server.shutdown()
    thread.join()


def app_name(app: Any) -> str:
    """The server's slug, which begins every address."""
    with app.test_client() as client:
        return str(client.get("/").headers["Location"]).strip("/")


def die(client: Redis, *ids: str) -> None:
    """Put jobs into dead, the last one newest."""
    for one in ids:
        client.lpush("mail:dead", json.dumps({"id": one, "payload": {"to": one}, "attempts": 4}))


def height_of(page: Page, job: str) -> float:
    """How far below the upper edge of the window a job's link stands, in pixels."""
    box = page.get_by_role("link", name=job).bounding_box()
    assert box is not None
    return box["y"]


def polls_of(page: Page) -> list[float]:
    """Grows by an instant with each request of the page's region."""
    seen: list[float] = []

    def note(request: Any) -> None:
        if request.headers.get("hx-target") == "div#live":
            seen.append(time.monotonic())

    page.on("request", note)
    return seen


def test_a_change_appears_without_a_reload_while_focus_and_scroll_stay(
    address: str, page: Page, redis_client: Redis
) -> None:
    die(redis_client, *[f"job-{n:02}" for n in range(40)])
    page.goto(f"{address}/q/mail/dead")
    expect(page.locator(".live")).to_have_text(LIVE)
    page.get_by_role("checkbox", name="Select job job-20").focus()
    page.evaluate("scrollTo(0, 300)")
    before = height_of(page, "job-20")

    die(redis_client, "newcomer")
    expect(page.get_by_role("link", name="newcomer")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Select job job-20")).to_be_focused()
    assert height_of(page, "job-20") == before


def test_polls_pause_while_rows_are_ticked_and_go_on_afterwards(
    address: str, page: Page, redis_client: Redis
) -> None:
    die(redis_client, "a", "b", "c")
    page.goto(f"{address}/q/mail/dead")
    page.get_by_role("checkbox", name="Select job b").check()
    expect(page.locator(".live")).to_have_text("Updates paused: rows are selected")
    expect(page.get_by_role("button", name="Retry 1 selected")).to_be_visible()
    page.get_by_role("checkbox", name="Select all rows on this page").check()
    expect(page.get_by_role("button", name="Discard 3 selected")).to_be_visible()

    polls = polls_of(page)
    die(redis_client, "d")
    page.wait_for_timeout(3 * POLL_SECONDS * 1000)
    assert polls == []
    expect(page.get_by_role("checkbox", name="Select job b")).to_be_checked()
    expect(page.get_by_role("link", name="d", exact=True)).to_have_count(0)

    page.get_by_role("checkbox", name="Select all rows on this page").uncheck()
    expect(page.locator(".live")).to_have_text(LIVE)
    expect(page.get_by_role("link", name="d", exact=True)).to_be_visible()


def test_ticked_rows_are_moved_by_one_press_and_nothing_stays_ticked(
    address: str, page: Page, redis_client: Redis
) -> None:
    die(redis_client, "a", "b", "c")
    page.goto(f"{address}/q/mail/dead")
    page.get_by_role("checkbox", name="Select job a").check()
    page.get_by_role("checkbox", name="Select job c").check()
    page.get_by_role("button", name="Retry 2 selected").click()
    expect(page.locator("#said")).to_contain_text("Retried 2 jobs")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("input:checked")).to_have_count(0)
    assert "did=" not in page.url
    assert redis_client.llen("mail:pending") == 2


def test_the_fuse_burns_by_the_servers_clock_although_the_browsers_is_an_hour_ahead(
    address: str, browser: Browser, redis_client: Redis
) -> None:
    seconds, _ = redis_client.time()
    redis_client.hset("mail:heartbeats", "w1", seconds - 10)
    redis_client.lpush("mail:processing:w1", json.dumps({"id": "held", "attempts": 0}))
    page = browser.new_page()
    page.add_init_script(f"const now = Date.now; Date.now = () => now() + {HOUR_MS};")
    page.goto(f"{address}/workers")
    fuse = page.locator("[data-fuse]")
    expect(fuse).to_have_text(re.compile(r"1\d s ago"))
    first = float(fuse.locator(".fuse-burn").get_attribute("width") or 0)
    expect(fuse).to_have_text(re.compile(r"\d+ s ago, stale in 1\d s"))
    expect(fuse).to_have_attribute("data-burn", "late")
    assert float(fuse.locator(".fuse-burn").get_attribute("width") or 0) > first
    page.close()


def test_slow_answers_are_waited_for_and_then_asked_for_more_rarely(
    address: str, page: Page, redis_client: Redis
) -> None:
    die(redis_client, "a")
    page.goto(f"{address}/q/mail/dead")
    open_now: list[str] = []
    most_open = 0

    def slowly(route: Route) -> None:
        nonlocal most_open
        open_now.append(route.request.url)
        most_open = max(most_open, len(open_now))
        page.wait_for_timeout(2500)
        open_now.pop()
        route.continue_()

    polls = polls_of(page)
    page.route(lambda url: url.endswith("/q/mail/dead"), slowly)
    page.wait_for_timeout(11_000)
    assert most_open == 1
    assert 1 <= len(polls) <= 3
    page.unroute_all(behavior="wait")


def test_failed_polls_keep_the_last_figures_say_why_and_recover(
    address: str, page: Page, redis_client: Redis
) -> None:
    die(redis_client, "a", "b")
    page.goto(f"{address}/q/mail/dead")

    def refuse(route: Route) -> None:
        route.fulfill(status=503, content_type="text/html", body="<p>Redis is away</p>")

    page.route(lambda url: url.endswith("/q/mail/dead"), refuse)
    expect(page.locator(".live")).to_have_text("Connection lost, retrying")
    expect(page.locator("#trouble")).to_have_text("Redis is away")
    expect(page.locator("tbody tr")).to_have_count(2)

    page.unroute_all()
    expect(page.locator(".live")).to_have_text(LIVE, timeout=20_000)
    expect(page.locator("#trouble")).to_be_empty()


def test_a_viewer_can_turn_the_updates_off_and_on_for_every_page(
    address: str, page: Page, redis_client: Redis
) -> None:
    die(redis_client, "a")
    page.goto(f"{address}/q/mail/dead")
    page.get_by_label("Updates").select_option("off")
    page.goto(f"{address}/q/mail/dead")
    expect(page.locator(".live")).to_have_text("Updates off")
    polls = polls_of(page)
    die(redis_client, "b")
    page.wait_for_timeout(2.5 * POLL_SECONDS * 1000)
    assert polls == []

    page.get_by_label("Updates").select_option("0")
    expect(page.locator(".live")).to_have_text(LIVE)
    expect(page.get_by_role("link", name="b", exact=True)).to_be_visible()


def test_a_chosen_theme_is_there_before_the_first_paint_of_the_next_page(address: str, page: Page) -> None:
    page.goto(f"{address}/")
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(f"{address}/workers")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.get_by_label("Theme").select_option("light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


@pytest.mark.parametrize("width", [375, 768, 1440])
def test_no_page_scrolls_sideways_and_every_act_is_in_sight(
    address: str, browser: Browser, redis_client: Redis, width: int
) -> None:
    die(redis_client, "a-rather-long-id-" + "x" * 60, "b")
    redis_client.zadd("mail:delayed", {json.dumps({"id": "late", "attempts": 1}): 1})
    redis_client.hset("mail:heartbeats", "app-server-with-a-long-name:41210:9f3a", 1)
    redis_client.lpush("mail:processing:app-server-with-a-long-name:41210:9f3a", json.dumps({"id": "held"}))
    page = browser.new_page(viewport={"width": width, "height": 800})
    for path in ("/", "/workers", "/q/mail", "/q/mail/dead", "/q/mail/delayed", "/q/mail/trash"):
        page.goto(address + path)
        page.evaluate("document.fonts.ready")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        outside = page.evaluate(
            "[...document.querySelectorAll('#live .button')].filter(b => b.getClientRects().length)"
            ".filter(b => b.getBoundingClientRect().right > innerWidth).map(b => b.textContent)"
        )
        assert outside == [], path
    page.close()
