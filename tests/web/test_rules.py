"""Each rule of the guard: hosts, origins, headers, methods, sizes. Nothing here needs Redis to answer."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from dashboard.settings import Settings, SettingsError
from dashboard.web import create_app
from tests.support.pages import Browser

NOWHERE = "redis://127.0.0.1:1/0"
PAUSE = "/redis/q/mail/pause"


@pytest.fixture
def client() -> FlaskClient:
    """A console on loopback, without sign-in and without Redis."""
    return create_app(Settings(redis_url=NOWHERE)).test_client()


@pytest.fixture
def guarded() -> FlaskClient:
    """A console with one password."""
    return create_app(Settings(redis_url=NOWHERE, password="a long password", host="0.0.0.0")).test_client()


def test_a_public_address_without_sign_in_is_refused_at_the_start() -> None:
    for host in ("0.0.0.0", "::", "10.0.0.5", "console.example"):
        with pytest.raises(SettingsError, match="WATCHKEEPER_HOST"):
            create_app(Settings(redis_url=NOWHERE, host=host))


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:5", "[::1]:8080", "LOCALHOST."]
)
def test_on_loopback_names_of_this_machine_are_answered(client: FlaskClient, host: str) -> None:
    assert client.get("/-/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil:80"]
)
def test_a_foreign_name_that_points_here_is_refused(client: FlaskClient, host: str) -> None:
    answer = client.get("/redis/", headers={"Host": host})
    assert answer.status_code == 403
    assert "answers only under the name of this machine" in answer.get_data(as_text=True)


def test_with_sign_in_any_name_is_answered(guarded: FlaskClient) -> None:
    assert guarded.get("/-/health", headers={"Host": "console.example"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": ""},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://localhost:81"},
        {"Origin": "http://[oops"},
    ],
)
def test_a_form_from_another_page_is_refused(client: FlaskClient, headers: dict[str, str]) -> None:
    answer = client.post(PAUSE, data={"act": "a" * 32}, headers=headers)
    assert answer.status_code == 403
    text = answer.get_data(as_text=True)
    assert "did not come from a page of this console" in text
    assert "Nothing was changed" in text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Origin": "http://localhost"},
        {"Origin": "https://localhost"},
        {},
    ],
)
def test_our_own_form_gets_as_far_as_redis(client: FlaskClient, headers: dict[str, str]) -> None:
    assert client.post(PAUSE, data={"act": "a" * 32}, headers=headers).status_code == 503


def test_with_sign_in_a_request_that_tells_nothing_needs_basic_auth(guarded: FlaskClient) -> None:
    signed_in = {"Sec-Fetch-Site": "same-origin"}
    guarded.post("/-/sign-in", data={"password": "a long password"}, headers=signed_in)
    assert guarded.post(PAUSE, data={"act": "a" * 32}).status_code == 403
    assert guarded.post(PAUSE, data={"act": "a" * 32}, headers=signed_in).status_code == 503
    basic = ("operator", "a long password")
    assert guarded.post(PAUSE, data={"act": "a" * 32}, auth=basic).status_code == 503
    assert guarded.post(PAUSE, data={"act": "a" * 32}, auth=("operator", "wrong")).status_code == 403
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert guarded.post(PAUSE, data={"act": "a" * 32}, auth=basic, headers=foreign).status_code == 403


def test_every_answer_carries_the_policy(client: FlaskClient) -> None:
    for path in ("/", "/redis/", "/redis/workers", "/nowhere", "/-/static/css/app.css", "/-/health", PAUSE):
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        for rule in ("base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "object-src 'none'"):
            assert rule in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"


def test_pages_are_never_stored_and_files_are_kept_by_their_hash(client: FlaskClient) -> None:
    assert client.get("/redis/").headers["Cache-Control"] == "no-store"
    assert client.get("/-/static/css/app.css").headers["Cache-Control"] == "no-cache"
    kept = client.get("/-/static/css/app.css?v=1").headers["Cache-Control"]
    assert kept == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "verb", ["retries", "discards", "restores", "promotions", "reaps", "pause", "resume"]
)
def test_no_act_is_done_by_reading(client: FlaskClient, verb: str) -> None:
    for method in ("GET", "HEAD"):
        answer = client.open(f"/redis/q/mail/{verb}", method=method)
        assert answer.status_code == 405
        assert "POST" in answer.headers["Allow"]


def test_a_form_that_is_too_large_is_a_readable_413(client: FlaskClient) -> None:
    browser = Browser(client)
    fields = [("act", "a" * 32), ("filler", "x" * (9 * 1024 * 1024))]
    page = browser.ask("POST", "/redis/q/mail/retries", fields)
    assert page.status == 413
    assert "larger than this console takes" in page.text


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/nowhere/",
        "/other/workers",
        "/redis/q/~2f/dead",
        "/redis/q/a%2Fb/dead",
        "/redis/q//dead",
        "/redis/q/mail/nothing",
        "/redis/q/mail/job/zz",
        "/redis/q/mail/job/zz?at=dead.1.zz.0",
        "/-/nothing",
    ],
)
def test_an_address_that_leads_nowhere_is_a_readable_404(client: FlaskClient, path: str) -> None:
    page = Browser(client).open(path)
    assert page.status == 404
    assert "No such page" in page.text
