"""The screens that are photographed, and how a person reaches each of them.

Owns: names and ways. Refuses: to know any address but the first page's: everything else is reached by the
links and buttons that the pages offer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

PHONE_WIDTH = 500
TREND = "Lately"
"""The column that is there once the console has seen enough to draw a line."""
TREND_PATIENCE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Shot:
    """A screen: the name of its file, and how it is reached from the first page."""

    name: str
    reach: Callable[[Page], None]
    status: int = 200
    """What the page answers; the browser's console complains about others."""


def first(_: Page) -> None:
    """The first page itself."""


def overview(page: Page) -> None:
    """The first page, once a worker is late and a trend is there."""
    page.get_by_text("1 late").first.wait_for()
    if page.viewport_size and page.viewport_size["width"] > PHONE_WIDTH:
        page.get_by_role("columnheader", name=TREND).wait_for(timeout=TREND_PATIENCE_MS)


def workers(page: Page) -> None:
    """All workers."""
    page.get_by_role("link", name="Workers").first.click()
    page.get_by_text("stale in").first.wait_for()


def queue(name: str) -> Callable[[Page], None]:
    """A queue's own page, by its row."""

    def reach(page: Page) -> None:
        page.get_by_role("main").get_by_role("link", name=name, exact=True).first.click()
        page.get_by_role("heading", name=name, exact=True).wait_for()

    return reach


def tab(name: str, place: str) -> Callable[[Page], None]:
    """One list of a queue, by its tab."""

    def reach(page: Page) -> None:
        queue(name)(page)
        page.get_by_role("main").get_by_role("link", name=re.compile(f"^{place}")).first.click()
        page.wait_for_url(re.compile(f"/{place.lower()}"))

    return reach


def ticked(page: Page) -> None:
    """Two dead jobs ticked."""
    tab("webhooks", "Dead")(page)
    for number in (0, 1):
        page.locator("input[type=checkbox][name=job]").nth(number).check()


def job(page: Page) -> None:
    """The page of a dead job."""
    tab("webhooks", "Dead")(page)
    page.get_by_role("link", name=re.compile(r"^wh-\d+")).first.click()
    page.wait_for_url(re.compile("/job/"))


def unreadable(page: Page) -> None:
    """The page of an entry that is no JSON."""
    tab("webhooks", "Dead")(page)
    page.get_by_role("link", name=re.compile("^80 04")).first.click()
    page.wait_for_url(re.compile("/job/"))


def reap(page: Page) -> None:
    """What reaping one worker would do."""
    workers(page)
    page.get_by_role("main").get_by_role("link", name=re.compile(r"^Reap .*9f3a")).first.click()
    page.wait_for_url(re.compile("/reap"))


def reap_stale(page: Page) -> None:
    """What reaping all stale workers would do."""
    workers(page)
    page.get_by_role("main").get_by_role("link", name=re.compile(r"^Reap \d+ stale")).first.click()
    page.wait_for_url(re.compile("/reap-stale"))


def discarded(page: Page) -> None:
    """A dead job has just been discarded: the notice with its undo."""
    tab("webhooks", "Dead")(page)
    page.get_by_role("button", name=re.compile("^Discard job wh-")).first.click()
    page.get_by_role("status").first.wait_for()


def signed_in(page: Page) -> None:
    """Behind the door: a Redis without any queue."""
    if page.get_by_label("Password").count():
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1).wait_for()


def missing(page: Page) -> None:
    """A queue that does not exist."""
    page.goto(f"{page.url.rstrip('/')}/q/nowhere")


SHOTS = (
    Shot("overview", overview),
    Shot("workers", workers),
    Shot("queue", queue("webhooks")),
    Shot("pending", tab("orders", "Pending")),
    Shot("processing", tab("orders", "Processing")),
    Shot("delayed", tab("mail", "Delayed")),
    Shot("dead", tab("webhooks", "Dead")),
    Shot("dead-ticked", ticked),
    Shot("queue-workers", tab("mail", "Workers")),
    Shot("job", job),
    Shot("unreadable", unreadable),
    Shot("reap", reap),
    Shot("reap-stale", reap_stale),
    Shot("discarded", discarded),
    Shot("trash", tab("webhooks", "Trash")),
    Shot("empty", tab("thumbnails", "Dead")),
    Shot("not-found", missing, status=404),
)
"""In this order: what is discarded for one picture lies in the trash of a later one."""

AWAY = (Shot("redis-away", first, status=503),)
"""With Redis stopped."""

PASSWORD = "the photographer's"  # noqa: S105 - of a server that lives for the pictures only
AT_THE_DOOR = (Shot("sign-in", first), Shot("no-queues", signed_in))
"""With a password set, on an empty Redis."""
