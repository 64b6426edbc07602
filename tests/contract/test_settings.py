"""Every setting is one row: documented, checked, and refused in one sentence that tells no secret."""

import dataclasses
import re
from pathlib import Path

import pytest

from dashboard.settings import Settings, SettingsError, document
from tests.support.processes import ROOT, run_python

ROWS = {row.name: row for row in Settings.rows()}
SECRET = "hunter2"


def refusal(**environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environ(environ)
    return str(caught.value)


def test_the_documentation_is_what_the_table_writes() -> None:
    written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == document(), "run: python -m dashboard.settings > docs/settings.md"
    assert run_python("-m", "dashboard.settings").stdout == written


def test_every_setting_is_documented_with_its_default() -> None:
    for row in ROWS.values():
        line = next(line for line in document().splitlines() if f"`{row.variable}`" in line)
        assert row.help in line
        assert f"`{row.default}`" in line or not row.default


def test_the_variable_of_a_setting_is_its_name() -> None:
    assert {row.variable for row in ROWS.values()} == {f"WATCHKEEPER_{name.upper()}" for name in ROWS}


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = Settings.from_environ({})
    assert settings == Settings()
    assert (settings.stale_after_seconds, settings.beat_seconds, settings.max_attempts) == (30, 5, 3)
    assert (settings.host, settings.port, settings.reaping) == ("127.0.0.1", 8080, "automatic")
    assert settings.adopt_orphans


def test_every_default_passes_its_own_check() -> None:
    spoken = {row.variable: row.default for row in ROWS.values() if row.default}
    assert Settings.from_environ(spoken) == Settings()


def test_settings_cannot_be_changed_in_place() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"WATCHKEEPER_QUEUES": "mail, reports,,mail"}, "queues", (b"mail", b"reports")),
        ({"WATCHKEEPER_ADOPT_ORPHANS": "off"}, "adopt_orphans", False),
        ({"WATCHKEEPER_REAPING": "Manual"}, "reaping", "manual"),
        ({"WATCHKEEPER_POLL_SECONDS": "0"}, "poll_seconds", 0),
        ({"PORT": "5000"}, "port", 5000),
        ({"PORT": "5000", "WATCHKEEPER_PORT": "6000"}, "port", 6000),
        ({"PORT": "5000", "WATCHKEEPER_PORT": " "}, "port", 5000),
        ({"REDIS_URL": "redis://a/1"}, "redis_url", "redis://a/1"),
        ({"REDIS_URL": "redis://a/1", "WATCHKEEPER_REDIS_URL": "unix:///b"}, "redis_url", "unix:///b"),
        ({"WATCHKEEPER_REDIS_URL": "rediss://u:p%40@[::1]:7/2"}, "redis_url", "rediss://u:p%40@[::1]:7/2"),
    ],
)
def test_a_value_is_read_from_its_variable(environ: dict[str, str], name: str, value: object) -> None:
    assert getattr(Settings.from_environ(environ), name) == value


def test_a_queue_name_that_is_no_text_keeps_its_bytes() -> None:
    name = b"ma\xffil".decode("utf-8", "surrogateescape")
    assert Settings.from_environ({"WATCHKEEPER_QUEUES": name}).queues == (b"ma\xffil",)


@pytest.mark.parametrize(
    ("variable", "written"),
    [
        ("WATCHKEEPER_PORT", "http"),
        ("WATCHKEEPER_PORT", "65536"),
        ("WATCHKEEPER_PORT", "-1"),
        ("PORT", "$PORT"),
        ("WATCHKEEPER_POLL_SECONDS", "nan"),
        ("WATCHKEEPER_POLL_SECONDS", "inf"),
        ("WATCHKEEPER_REAPING", "sometimes"),
        ("WATCHKEEPER_ADOPT_ORPHANS", "maybe"),
        ("WATCHKEEPER_SERVER_NAME", "a/b"),
        ("WATCHKEEPER_PAGE_SIZE", "0"),
        ("WATCHKEEPER_LOG_LEVEL", "loud"),
        ("WATCHKEEPER_MAX_ATTEMPTS", "3.5"),
        ("WATCHKEEPER_STALE_AFTER_SECONDS", "2.9"),
    ],
)
def test_a_wrong_value_is_refused_in_one_sentence_with_its_variable(variable: str, written: str) -> None:
    said = refusal(**{variable: written})
    assert said.startswith(f"{variable} is {written!r}: it must be ")
    assert re.fullmatch(r"[^\n]+\.", said)


def test_a_beat_over_a_third_of_the_threshold_is_refused_by_naming_both() -> None:
    said = refusal(WATCHKEEPER_STALE_AFTER_SECONDS="10")
    assert said.startswith("WATCHKEEPER_BEAT_SECONDS is 5: ")
    assert "WATCHKEEPER_STALE_AFTER_SECONDS, which is 10" in said
    accepted = Settings.from_environ(
        {"WATCHKEEPER_STALE_AFTER_SECONDS": "10", "WATCHKEEPER_BEAT_SECONDS": "3"}
    )
    assert accepted.beat_seconds == 3


def test_a_threshold_under_three_seconds_is_refused_in_code_too() -> None:
    with pytest.raises(SettingsError, match="at least 3"):
        dataclasses.replace(Settings(), stale_after_seconds=2.0, beat_seconds=0.5)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("WATCHKEEPER_REDIS", "WATCHKEEPER_REDIS_URL"),
        ("WATCHKEEPER_STALE_AFTER", "WATCHKEEPER_STALE_AFTER_SECONDS"),
        ("WATCHKEEPER_MAX_ATTEMPS", "WATCHKEEPER_MAX_ATTEMPTS"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_one_that_was_meant(slip: str, meant: str) -> None:
    assert refusal(**{slip: SECRET}) == f"{slip} is no setting: did you mean {meant}?"


def test_an_unknown_variable_like_no_other_is_sent_to_the_documentation() -> None:
    assert refusal(WATCHKEEPER_ZZZZ="1") == (
        "WATCHKEEPER_ZZZZ is no setting: docs/settings.md lists all settings."
    )


def test_variables_of_others_are_left_alone() -> None:
    assert Settings.from_environ({"WATCHKEEPERS": "1", "HOST": "x", "PATH": "/bin"}) == Settings()


@pytest.mark.parametrize(
    "url",
    [
        f"http://:{SECRET}@h/0",
        f"{SECRET}",
        f"redis://u:{SECRET}@h:port/0",
        f"redis://u:{SECRET}@[h/0",
        f"redis://u:{SECRET}[/@h/0",
        f"redis://u:{SECRET}@h:99999/0",
        f"redis://u:{SECRET}@/0",
        f"redis://u:{SECRET}@h/mail",
        f"redis://u:{SECRET}#@h/0",
        f"redis://u:{SECRET}@h/0?retry_on_timeout=yes",
        f"redis://u:{SECRET}@h/0?db",
        f"unix://u:{SECRET}@/",
    ],
)
def test_a_wrong_url_is_refused_without_its_password(url: str) -> None:
    said = refusal(REDIS_URL=url)
    assert said.startswith("REDIS_URL ")
    assert re.fullmatch(r"[^\n]+\.", said)
    assert SECRET not in said


def test_secrets_are_in_no_repr() -> None:
    settings = Settings.from_environ({"REDIS_URL": f"redis://:{SECRET}@h/0", "WATCHKEEPER_PASSWORD": SECRET})
    assert SECRET not in repr(settings)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True)]
    + [(host, False) for host in ("0.0.0.0", "::", "10.0.0.1", "example.org", "")],
)
def test_a_public_address_needs_a_sign_in(host: str, loopback: bool) -> None:
    settings = dataclasses.replace(Settings(), host=host)
    assert settings.listens_on_loopback is loopback
    if loopback:
        settings.check_public_address()
        return
    with pytest.raises(SettingsError, match="WATCHKEEPER_USERS_FILE or WATCHKEEPER_PASSWORD"):
        settings.check_public_address()
    dataclasses.replace(settings, password=SECRET).check_public_address()
    dataclasses.replace(settings, users_file=str(Path("users"))).check_public_address()
