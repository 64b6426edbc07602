"""A real Chromium, the system's own, driven by Playwright."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
# Root has no sandbox in a container; the pages are our own.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
# Other tests run beside these, and a page waits longer between polls while answers are slow.
expect.set_options(timeout=20_000)
VIEWPORT = {"width": 1280, "height": 900}


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for the tests of this folder; its driver keeps an event loop, where others start one."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of its own; a page that breaks the content policy or throws fails the test at its end."""
    context = browser.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    tab = context.new_page()
    faults: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    tab.on("console", note)
    tab.on("pageerror", lambda error: faults.append(str(error)))
    yield tab
    context.close()
    assert faults == []
