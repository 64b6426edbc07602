"""The screens that are photographed, and how a person reaches each of them.

Owns: names and ways. Refuses: to know any address but the first page's: everything else is reached by the
links and buttons that the pages offer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page


@dataclass(frozen=True, slots=True)
class Shot:
    """A screen: the name of its file, and how it is reached from the first page."""

    name: str
    reach: Callable[[Page], None]


def overview(page: Page) -> None:
    """The first page itself."""


def workers(page: Page) -> None:
    """All workers."""
    page.get_by_role("link", name="Workers").first.click()


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
        page.get_by_role("main").get_by_role("link", name=re.compile(f"^{place}\\b")).first.click()
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
    Shot("not-found", missing),
)
"""In this order: what is discarded for one picture lies in the trash of a later one."""
