"""`python -m bench.screens FOLDER`: a photograph of every screen, light, dark and at 375 px.

Owns: the looks and the names of the files (`dead-dark.png`). Refuses: to judge the pictures, and to
photograph any console but its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from bench.palette import shrunk
from bench.scene import Scene
from bench.shots import AT_THE_DOOR, AWAY, PASSWORD, SHOTS, Shot
from tests.support.processes import PythonProcess
from tests.support.server import ValkeyServer, free_port

CHROMIUM = "/usr/bin/chromium"
PATIENCE_MS = 15_000


@dataclass(frozen=True, slots=True)
class Look:
    """One way of looking: size of the window and colour scheme."""

    name: str
    width: int
    height: int
    dark: bool = False
    scrolled: int = 0
    """So far down it is photographed."""


LOOKS = (Look("light", 1440, 900), Look("dark", 1440, 900, dark=True), Look("375", 375, 800, scrolled=1600))


def main(folder: Path, wanted: list[str]) -> int:
    """Take the pictures; `wanted` names some of the screens, none means all."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:

        def take(address: str, shots: Sequence[Shot]) -> None:
            chosen = [shot for shot in shots if not wanted or shot.name in wanted]
            for look in LOOKS if chosen else ():
                photograph(browser, address, look, chosen, folder)

        with ValkeyServer(appendonly="yes", maxmemory="8gb") as server, console(server) as address:
            with server.client() as client, Scene(client):
                take(address, SHOTS)
            server.stop()
            take(address, AWAY)
        with ValkeyServer() as server, console(server, WATCHKEEPER_PASSWORD=PASSWORD) as address:
            take(address, AT_THE_DOOR)
    return 0


@contextmanager
def console(server: ValkeyServer, **more: str) -> Iterator[str]:
    """A console on the scene, started as anybody would; its address."""
    port = str(free_port())
    env = {
        "WATCHKEEPER_REDIS_URL": server.url,
        "WATCHKEEPER_ENVIRONMENT": "production",
        "WATCHKEEPER_OPERATOR_NAME": "on-call",
    }
    with PythonProcess("-m", "dashboard.cli", "web", "--port", port, env=env | more) as process:
        process.wait_for_output(port, 30)
        yield f"http://127.0.0.1:{port}"


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def photograph(browser: Browser, address: str, look: Look, shots: Sequence[Shot], folder: Path) -> None:
    """Every screen in one look."""
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme="dark" if look.dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(PATIENCE_MS)
    page, blank = context.new_page(), context.new_page()
    page.bring_to_front()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    for shot in shots:
        page.goto(address + "/")
        shot.reach(page)
        settle(page)
        target = folder / f"{shot.name}-{look.name}.png"
        target.write_bytes(shrunk(blank, page.screenshot(full_page=True, clip=seen(page, look))))
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        print(
            f"{target.name} {target.stat().st_size // 1024} KB{f', {wide} px too wide' if wide > 0 else ''}",
            flush=True,
        )
        for fault in faults:
            if str(shot.status) not in fault:
                print(f"  {fault}", flush=True)
        faults.clear()
    context.close()


def seen(page: Page, look: Look) -> FloatRect:
    """The part that is photographed: the window, or on a phone some screens of scrolling."""
    height = page.evaluate("document.documentElement.scrollHeight")
    return {"x": 0, "y": 0, "width": look.width, "height": max(look.height, min(height, look.scrolled))}


def settle(page: Page) -> None:
    """Wait until fonts are there and the page has nothing under way."""
    page.wait_for_load_state("load")
    page.evaluate("document.fonts.ready.then(() => true)")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print("usage: python -m bench.screens FOLDER [SCREEN …]", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
