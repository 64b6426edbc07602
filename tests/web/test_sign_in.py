"""Signing in: who gets a session, where it leads, what wrong passwords cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from dashboard.settings import Settings, SettingsError
from dashboard.web import create_app
from dashboard.web.accounts import password_hash
from dashboard.web.slow_down import FREE_TRIES
from tests.support.pages import Browser, Page

ADA, BOB = password_hash("ada's secret"), password_hash("bob's secret")


@pytest.fixture
def users(tmp_path: Path) -> Path:
    file = tmp_path / "users"
    file.write_text(f"ada:operator:{ADA}\nbob:viewer:{BOB}\n")
    return file


@pytest.fixture
def app(redis_url: str, users: Path) -> Flask:
    return create_app(Settings(redis_url=redis_url, users_file=str(users), host="0.0.0.0"))


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app.test_client())


def signed_in(browser: Browser, name: str, password: str, at: str = "/redis/") -> Page:
    form = browser.open(at).form("Sign in")
    fields = [field for field in form.fields if field[0] == "next"]
    return browser.ask("POST", form.action, [*fields, ("name", name), ("password", password)])


def test_whoever_is_not_signed_in_is_led_to_the_form_and_then_on(browser: Browser) -> None:
    page = browser.open("/redis/workers?state=stale")
    assert page.url == "/-/sign-in?next=%2Fredis%2Fworkers%3Fstate%3Dstale"
    page = signed_in(browser, "ada", "ada's secret", "/redis/workers?state=stale")
    assert page.url == "/redis/workers?state=stale"
    assert "ada · operator" in page.text


def test_a_wrong_password_says_no_more_than_that(browser: Browser) -> None:
    wrong_password = signed_in(browser, "ada", "nonsense")
    unknown_name = signed_in(browser, "eve", "nonsense")
    for page, name in ((wrong_password, "ada"), (unknown_name, "eve")):
        assert page.status == 401
        assert "The name or the password is wrong." in page.text
        assert f'value="{name}"' in page.html
        assert "nonsense" not in page.html
        assert "WWW-Authenticate" not in page.headers


def test_the_cookie_is_ours_and_only_for_us(app: Flask) -> None:
    client = app.test_client()
    answer = client.post(
        "/-/sign-in",
        data={"name": "ada", "password": "ada's secret"},
        headers={"Sec-Fetch-Site": "same-origin"},
        base_url="https://console.example",
    )
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("watchkeeper_session=")
    for part in ("HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age=43200"):
        assert part in cookie
    assert answer.headers["Location"] == "/redis/"


def test_below_a_prefix_the_cookie_is_for_the_prefix(app: Flask) -> None:
    answer = app.test_client().post(
        "/-/sign-in",
        data={"name": "ada", "password": "ada's secret", "next": "/ops/redis/workers"},
        headers={"Sec-Fetch-Site": "same-origin"},
        environ_overrides={"SCRIPT_NAME": "/ops"},
    )
    assert "Path=/ops/" in answer.headers["Set-Cookie"]
    assert "Secure" not in answer.headers["Set-Cookie"]
    assert answer.headers["Location"] == "/ops/redis/workers"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"]
)
def test_the_form_leads_nowhere_else(app: Flask, elsewhere: str) -> None:
    client = app.test_client()
    shown = client.get("/-/sign-in", query_string={"next": elsewhere})
    assert "evil" not in shown.get_data(as_text=True)
    fields = {"name": "ada", "password": "ada's secret", "next": elsewhere}
    answer = client.post("/-/sign-in", data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.headers["Location"] == "/redis/"


def test_a_session_holds_in_another_process_and_ends_with_the_password(
    app: Flask, redis_url: str, users: Path
) -> None:
    first = app.test_client()
    fields = {"name": "ada", "password": "ada's secret"}
    first.post("/-/sign-in", data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    cookie = first.get_cookie("watchkeeper_session")
    assert cookie is not None
    other = create_app(Settings(redis_url=redis_url, users_file=str(users), host="0.0.0.0")).test_client()
    other.set_cookie("watchkeeper_session", cookie.value)
    assert Browser(other).open("/redis/").url == "/redis/"
    users.write_text(f"ada:operator:{password_hash('a new secret')}\n")
    assert Browser(other).open("/redis/").url.startswith("/-/sign-in")


def test_foreign_cookies_do_no_harm(app: Flask) -> None:
    client = app.test_client()
    client.set_cookie("session", "garbage")
    client.set_cookie("watchkeeper_session", "garbage")
    assert Browser(client).open("/redis/").url.startswith("/-/sign-in")


def test_signing_out_forgets_the_session_and_is_no_link(app: Flask, browser: Browser) -> None:
    page = signed_in(browser, "ada", "ada's secret")
    assert browser.open("/-/sign-out").status == 405
    page = browser.press(page, "Sign out")
    assert page.url.startswith("/-/sign-in")
    assert browser.open("/redis/").url.startswith("/-/sign-in")


def test_a_region_without_a_session_is_sent_to_the_form_and_never_holds_it(browser: Browser) -> None:
    poll = browser.poll("/redis/workers?state=stale")
    assert poll.status == 401
    assert poll.headers["HX-Redirect"] == "/-/sign-in?next=%2Fredis%2Fworkers%3Fstate%3Dstale"
    assert poll.html == ""


def test_an_act_without_a_session_changes_nothing_and_says_so(browser: Browser) -> None:
    page = browser.ask("POST", "/redis/q/mail/pause", [("act", "a" * 32)])
    assert page.status == 401
    assert "You are not signed in" in page.text
    assert "Nothing was changed" in page.text
    assert "mail" not in page.text


def test_scripts_sign_in_by_basic_auth(app: Flask) -> None:
    client = app.test_client()
    for _ in range(2):
        assert client.get("/redis/", auth=("bob", "bob's secret")).status_code == 200
    refused = client.get("/redis/", auth=("bob", "wrong"))
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Basic realm=")
    assert client.get("/redis/").status_code == 401


@pytest.mark.parametrize(
    "sent", ["", "Basic", "Basic ====", "Basic \xff", "Basic YQ==", "Basic /w==", "Odd \xff"]
)
def test_credentials_of_any_signs_are_turned_away(app: Flask, sent: str) -> None:
    client = app.test_client()
    assert client.get("/redis/", headers={"Authorization": sent}).status_code == 401
    assert client.post("/redis/q/mail/pause", headers={"Authorization": sent}).status_code == 403


def test_wrong_passwords_cost_time_in_the_form_and_by_basic_auth(app: Flask) -> None:
    client = app.test_client()
    for _ in range(FREE_TRIES):
        assert client.get("/redis/", auth=("ada", "wrong")).status_code == 401
    page = signed_in(Browser(client), "ada", "ada's secret")
    assert page.status == 429
    assert "Too many attempts. Wait 1 s" in page.text
    assert client.get("/redis/", auth=("ada", "ada's secret")).status_code == 401
    other = client.get("/redis/", auth=("ada", "ada's secret"), environ_base={"REMOTE_ADDR": "10.0.0.9"})
    assert other.status_code == 200


def test_one_password_for_one_operator_asks_for_no_name(redis_url: str) -> None:
    settings = Settings(
        redis_url=redis_url, password="a long password", operator_name="on-call", host="0.0.0.0"
    )
    browser = Browser(create_app(settings).test_client())
    page = browser.open("/redis/")
    assert 'name="name"' not in page.html
    page = browser.ask("POST", "/-/sign-in", [("password", "a long passwort")])
    assert "The password is wrong." in page.text
    page = browser.ask("POST", "/-/sign-in", [("password", "a long password")])
    assert "on-call · admin" in page.text
    assert browser.open("/-/sign-in").url == "/redis/"


def test_without_sign_in_there_is_no_form(redis_url: str) -> None:
    browser = Browser(create_app(Settings(redis_url=redis_url)).test_client())
    assert browser.open("/-/sign-in").url == "/redis/"
    assert browser.ask("POST", "/-/sign-in", [("password", "x")]).status == 404


def test_a_users_file_that_cannot_be_used_is_refused_at_the_start(redis_url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        create_app(Settings(redis_url=redis_url, users_file=str(tmp_path / "missing")))
