"""Acts without scripts: forms, 303, an outcome in words, roles, and what a form without sense is told."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from dashboard.queue.job import digest
from dashboard.web.accounts import password_hash
from tests.support.pages import Browser, Page
from tests.web.conftest import Redis, job
from tests.web.state import state

ACT = ("act", "a" * 32)
VERBS = ("retries", "discards", "restores", "promotions", "reaps", "pause", "resume")


def test_an_act_is_followed_by_303_to_where_its_form_stood(
    app: Flask, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", *[job(number) for number in range(60)])
    page = browser.follow(browser.open("/redis/q/mail/dead"), "Older")
    form = page.form("Retry", page.rows[0])
    answer = app.test_client().post(
        form.action, data=dict(form.fields), headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"{page.url}&did=retried&moved=1"


def test_retry_all_moves_what_the_page_counted_and_names_what_came_later(
    browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("b", None, 9), job("a", None, 9), b"not json")
    redis_client.rpush("mail:pending", job("waits", None, 0))
    page = browser.open("/redis/q/mail/dead")
    redis_client.lpush("mail:dead", job("new"))
    after = browser.press(page, "Retry 3 dead jobs")
    assert "Retried 2 jobs" in after.said
    assert "1 job stays in dead: the counter cannot be read" in after.said
    assert "1 newer not included" in after.said
    assert state(redis_client) == {
        "mail:dead": [job("new"), b"not json"],
        "mail:pending": [job("b", None, 0), job("a", None, 0), job("waits", None, 0)],
    }


def test_promote_all_moves_the_due_ones_in_due_order(browser: Browser, redis_client: Redis) -> None:
    now = time.time()
    redis_client.zadd(
        "mail:delayed", {job("late"): now - 5, job("later"): now - 2, job("not yet"): now + 900}
    )
    page = browser.open("/redis/q/mail/delayed")
    after = browser.press(page, "Promote 2 due jobs")
    assert "Promoted 2 jobs" in after.said
    found = state(redis_client)
    assert found["mail:pending"] == [job("later"), job("late")]
    assert list(found["mail:delayed"]) == [job("not yet")]


def test_several_discards_are_undone_together(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:dead", job("A"), job("B"), job("C"))
    page = browser.open("/redis/q/mail/dead")
    form = page.form("Discard selected").ticking(*[page.box(page.row(name)) for name in "AC"])
    after = browser.send(form)
    assert "Discarded 2 jobs" in after.said
    assert sorted(state(redis_client)["mail:trash"]) == [job("A"), job("C")]
    undo = after.form("Undo")
    undone = browser.send(undo)
    assert "Restored 2 jobs to dead" in undone.said
    assert sorted(redis_client.lrange("mail:dead", 0, -1)) == [job("A"), job("B"), job("C")]
    assert "Already restored" in browser.send(undo).said
    assert redis_client.llen("mail:dead") == 3


def test_the_trash_restores_one_by_one(browser: Browser, redis_client: Redis) -> None:
    due = time.time() + 500
    redis_client.zadd("mail:delayed", {job("D"): due})
    page = browser.open("/redis/q/mail/delayed")
    browser.press(page, "Discard", page.row("D"))
    trash = browser.open("/redis/q/mail/trash")
    assert "operator" in trash.row("D").text
    after = browser.press(trash, "Restore", trash.row("D"))
    assert "Restored 1 job to delayed" in after.said
    assert state(redis_client)["mail:delayed"] == {job("D"): pytest.approx(due)}


def test_pause_and_resume_change_the_policy(browser: Browser, redis_client: Redis) -> None:
    redis_client.rpush("mail:pending", job("A"))
    page = browser.open("/redis/q/mail")
    assert "workers finish what they run" not in page.text
    page = browser.press(page, "Pause mail")
    assert "Paused" in page.said
    assert "Paused: workers finish what they run" in page.text
    assert redis_client.hget("mail:policy", "paused") == b"1"
    page = browser.press(page, "Resume mail")
    assert "Resumed" in page.said
    assert redis_client.hget("mail:policy", "paused") in (b"0", None)


def test_a_pause_names_the_workers_that_do_not_obey(browser: Browser, redis_client: Redis) -> None:
    redis_client.hset("mail:heartbeats", "their-worker", int(time.time()))
    page = browser.open("/redis/q/mail")
    assert "A pause would not be obeyed by workers of other software: their-worker." in page.text
    page = browser.press(page, "Pause mail")
    assert "Paused, but workers of other software do not obey: their-worker." in page.text


def test_more_ticked_rows_than_flask_takes_by_itself_are_one_form(
    browser: Browser, redis_client: Redis
) -> None:
    raws = [job(number) for number in range(1100)]
    redis_client.rpush("mail:dead", *raws)
    page = browser.open("/redis/q/mail/dead")
    boxes = [("job", f"dead.{len(raw)}.{digest(raw)}.{1099 - at}~{at:032x}") for at, raw in enumerate(raws)]
    assert page.box(page.rows[0])[1].startswith(boxes[0][1].partition("~")[0])
    after = browser.send(page.form("Retry selected").ticking(*boxes))
    assert after.status == 200
    assert "Retried 1,100 jobs" in after.said
    assert redis_client.llen("mail:dead") == 0
    assert redis_client.llen("mail:pending") == 1100


@pytest.mark.parametrize(
    ("verb", "fields", "sentence"),
    [
        ("retries", [ACT, ("scope", "ticked")], "No row was ticked"),
        ("discards", [ACT, ("scope", "ticked")], "No row was ticked"),
        ("promotions", [ACT], "No row was ticked"),
        ("retries", [ACT, ("job", "dead.x")], "names a job in a way"),
        ("retries", [ACT, ("scope", "everything")], "does not say which jobs"),
        ("retries", [ACT, ("scope", "all"), ("bound", "-1")], "does not say which jobs"),
        ("retries", [ACT, ("scope", "all"), ("bound", "5")], "does not say which jobs"),
        ("discards", [ACT, ("scope", "all"), ("bound", "5")], "does not say which jobs"),
        ("promotions", [ACT, ("scope", "all")], "does not say which jobs"),
        ("restores", [ACT], "names nothing in the trash"),
        ("restores", [ACT, ("trash", "../x")], "no entry of the trash"),
        ("reaps", [ACT], "names no worker"),
        ("reaps", [ACT, ("worker", "~zz")], "names no worker"),
        ("pause", [("act", "")], "one-time id"),
        ("pause", [("act", "x y")], "one-time id"),
        ("retries", [ACT, ("job", f"pending.1.{'0' * 40}.0")], ""),
    ],
)
def test_a_form_without_sense_is_a_422_sentence_and_moves_nothing(
    verb: str, fields: list[tuple[str, str]], sentence: str, browser: Browser, redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    redis_client.zadd("mail:delayed", {job("D"): 1})
    before = state(redis_client)
    page = browser.ask("POST", f"/redis/q/mail/{verb}", fields)
    assert page.status == 422
    assert sentence in page.text
    assert state(redis_client) == before


@pytest.fixture
def people(console: Callable[..., Flask], tmp_path: Path) -> Callable[[str], Browser]:
    """Browsers signed in with each role."""
    file = tmp_path / "users"
    file.write_text(
        "".join(f"{role}:{role}:{password_hash(role)}\n" for role in ("viewer", "operator", "admin"))
    )
    app = console(users_file=str(file))

    def signed_in(role: str) -> Browser:
        browser = Browser(app.test_client())
        page = browser.ask("POST", "/-/sign-in", [("name", role), ("password", role)])
        assert page.url == "/redis/"
        return browser

    return signed_in


def act_forms(page: Page) -> list[str]:
    return [form.label for form in page.forms() if "/redis/" in form.action]


def test_a_viewer_is_offered_no_act_and_refused_each(
    people: Callable[[str], Browser], redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    redis_client.zadd("mail:delayed", {job("D"): 1})
    redis_client.rpush("mail:processing:w", job("P"))
    viewer, operator = people("viewer"), people("operator")
    offered = operator.open("/redis/q/mail/dead")
    form = offered.form("Retry", offered.rows[0])
    for path in (
        "/redis/",
        "/redis/workers",
        "/redis/q/mail",
        "/redis/q/mail/dead",
        "/redis/q/mail/delayed",
        "/redis/q/mail/reap?worker=w",
        "/redis/reap-stale",
    ):
        page = viewer.open(path)
        assert page.status == 200
        assert act_forms(page) == []
        assert not any(one.get("type") == "checkbox" for one in page.root.all("input"))
    before = state(redis_client)
    for verb in VERBS:
        fields = [*form.fields, ("trash", "1-1"), ("worker", "w")]
        page = viewer.ask("POST", f"/redis/q/mail/{verb}", fields)
        assert page.status == 403, verb
        assert "needs the role operator; viewer is signed in as viewer" in page.text
    assert viewer.ask("POST", "/redis/reaps", [ACT]).status == 403
    assert state(redis_client) == before


@pytest.mark.parametrize("role", ["operator", "admin"])
def test_operators_and_admins_act_under_their_own_name(
    role: str, people: Callable[[str], Browser], redis_client: Redis
) -> None:
    redis_client.rpush("mail:dead", job("A"))
    browser = people(role)
    page = browser.open("/redis/q/mail/dead")
    form = page.form("Retry", page.rows[0])
    browser.send(form)
    assert f"by {role}." in people("admin").send(form).said
