"""The main job in a browser, on the real demo: see a worker die, reap it, retry, discard, undo."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from playwright.sync_api import Locator, Page, expect

from dashboard.demo.handlers import NEVER
from tests.browser.accounting import account, find, stop_feeding
from tests.demo.running import RunningDemo
from tests.support.processes import wait_until

QUEUES = (b"mail", b"reports", b"webhooks")
SEEDED_DEAD = 9
WORKERS = {"mail": 3, "reports": 3, "webhooks": 2}
STALE_AFTER_MS = 10_000
PAUSE_BETWEEN_LOOKS_MS = 8_000


@pytest.fixture
def demo(tmp_path: Path, redis_client: redis.Redis, redis_url: str) -> Iterator[RunningDemo]:
    """The demo on the test's own server."""
    with RunningDemo(tmp_path, redis_url) as demo:
        wait_until(lambda: {q: len(names(redis_client, q)) for q in WORKERS} == WORKERS, 15, "all beat")
        yield demo


def test_every_job_is_accounted_for_after_a_kill_a_reap_a_retry_a_discard_and_an_undo(
    demo: RunningDemo, page: Page, redis_client: redis.Redis
) -> None:
    reap_a_killed_worker_of_reports(demo, page, redis_client)
    poison = a_new_poison_job_in_dead(redis_client)
    retry_discard_and_undo(demo, page, redis_client, poison)
    discard_the_oldest_dead_letter(demo, page, redis_client)

    stop_feeding(redis_client)
    for queue in QUEUES:
        found = wait_until_settled(redis_client, queue)
        assert (found.lost, found.doubled, found.strange) == (set(), set(), set()), queue
        assert found.done, queue
    assert len(account(redis_client, b"webhooks").places["trash"]) == 1
    beats: Any = redis_client.hkeys("mail:heartbeats")
    assert len(beats) == 3


def test_a_supervised_worker_killed_by_the_button_is_replaced_within_a_second_or_two(
    demo: RunningDemo, page: Page, redis_client: redis.Redis
) -> None:
    page.goto(demo.address + "demo/q/mail/workers")
    before = names(redis_client, "mail")
    victim = sorted(before)[0]

    press(row(page, victim), "SIGKILL")

    wait_until(lambda: victim not in names(redis_client, "mail"), 2, "the killed worker is gone")
    wait_until(lambda: len(names(redis_client, "mail")) == 3, 2, "three workers beat again")
    assert redis_client.exists(f"mail:processing:{victim}") == 0
    (newcomer,) = names(redis_client, "mail") - before
    expect(row(page, newcomer)).to_have_attribute("data-state", "alive", timeout=PAUSE_BETWEEN_LOOKS_MS)


def reap_a_killed_worker_of_reports(demo: RunningDemo, page: Page, client: redis.Redis) -> None:
    """SIGKILL a worker that holds a job, watch it turn late and stale, look at the preview, reap."""
    page.goto(demo.address + "demo/q/reports/workers")
    worker, job_id = kill_one_that_holds_a_job(page, client)
    page.evaluate("window.sameDocument = true")

    expect(row(page, worker)).to_have_attribute(
        "data-state", "late", timeout=STALE_AFTER_MS + PAUSE_BETWEEN_LOOKS_MS
    )
    expect(row(page, worker)).to_have_attribute(
        "data-state", "stale", timeout=STALE_AFTER_MS + PAUSE_BETWEEN_LOOKS_MS
    )
    assert page.evaluate("window.sameDocument") is True
    assert find(client, f"reports:processing:{worker}", job_id)

    row(page, worker).get_by_role("link", name=re.compile("Reap")).click()
    jobs = page.get_by_label("Jobs that would move")
    expect(jobs.get_by_role("row").filter(has_text=job_id)).to_contain_text("pending")
    page.get_by_role("button", name=re.compile("Reap")).click()

    expect(page.get_by_role("status").filter(has_text="Reaped")).to_contain_text("1 job went back to pending")
    assert client.exists(f"reports:processing:{worker}") == 0
    assert worker not in names(client, "reports")
    wait_until(lambda: client.sismember("demo:done:reports", job_id), 15, "another worker did the job")


def kill_one_that_holds_a_job(page: Page, client: redis.Redis) -> tuple[str, str]:
    """Press SIGKILL on workers until one has left a job that was not done; its name and the job's id."""
    for worker in sorted(names(client, "reports")):
        press(row(page, worker), "SIGKILL")
        wait_until(lambda: len(names(client, "reports")) > 3, 10, "a successor beats")
        raws: Any = client.lrange(f"reports:processing:{worker}", 0, -1)
        held = [str(json.loads(raw)["id"]) for raw in raws]
        if held and not client.sismember("demo:done:reports", held[0]):
            return worker, held[0]
    raise AssertionError("three workers were killed between two jobs, each of them")


def a_new_poison_job_in_dead(client: redis.Redis) -> str:
    """Wait until a job that never succeeds has failed its way to dead; its id."""

    def newcomers() -> list[str]:
        raws: Any = client.lrange("webhooks:dead", 0, -1)
        jobs = [json.loads(raw) for raw in raws]
        return [
            job["id"]
            for job in jobs
            if NEVER in job["payload"]["url"] and int(job["id"].split("-")[1]) > SEEDED_DEAD
        ]

    return wait_until(newcomers, 60, "a poison job is dead")[0]


def retry_discard_and_undo(demo: RunningDemo, page: Page, client: redis.Redis, poison: str) -> None:
    """Its error is shown; a retry brings it back to dead; a discard is undone."""
    page.goto(demo.address + "demo/q/webhooks/dead")
    expect(row(page, poison)).to_contain_text(NEVER)
    before = find(client, "webhooks:dead", poison)
    assert before is not None
    assert re.match(r"(ConnectTimeout|ReadTimeout|HTTPStatusError): ", before["error"])
    assert before["attempts"] == 3

    press(row(page, poison), "Retry")
    expect(page.get_by_role("status").filter(has_text="Retried 1 job")).to_be_visible()
    assert client.sismember("demo:done:webhooks", poison) == 0
    again = wait_until(lambda: find(client, "webhooks:dead", poison), 40, "it failed its way to dead again")
    assert again is not None
    assert (again["attempts"], again["failed_at"] > before["failed_at"]) == (3, True)

    page.goto(demo.address + "demo/q/webhooks/dead")
    press(row(page, poison), "Discard")
    said = page.get_by_role("status").filter(has_text="Discarded 1 job")
    expect(said).to_be_visible()
    assert find(client, "webhooks:dead", poison) is None
    assert account(client, b"webhooks").places["trash"][poison] == 1

    said.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").filter(has_text="Restored 1 job to dead")).to_be_visible()
    assert find(client, "webhooks:dead", poison) == again
    assert account(client, b"webhooks").places["trash"][poison] == 0


def discard_the_oldest_dead_letter(demo: RunningDemo, page: Page, client: redis.Redis) -> None:
    """One discard stays, so that the account has something in the trash."""
    page.goto(demo.address + "demo/q/webhooks/dead")
    oldest: Any = client.lindex("webhooks:dead", -1)
    job_id = json.loads(oldest)["id"]
    press(row(page, job_id), "Discard")
    expect(page.get_by_role("status").filter(has_text="Discarded 1 job")).to_be_visible()
    assert account(client, b"webhooks").places["trash"] == {job_id: 1}


def wait_until_settled(client: redis.Redis, queue: bytes) -> Any:
    """The account of a queue at an instant at which no job that is done waits for its acknowledgement."""

    def settled() -> Any:
        found = account(client, queue)
        return None if found.done & set(found.standing) else found

    return wait_until(settled, 20, f"{queue.decode()} is settled")


def names(client: redis.Redis, queue: str) -> set[str]:
    """The workers that have a heartbeat."""
    beats: Any = client.hkeys(f"{queue}:heartbeats")
    return {beat.decode() for beat in beats}


def row(page: Page, text: str) -> Locator:
    """The table row of a worker or job."""
    return page.locator("tbody tr").filter(has=page.get_by_text(text, exact=True))


def press(one: Locator, label: str) -> None:
    """Press a row's button."""
    one.get_by_role("button", name=re.compile(rf"^{label}")).click()
