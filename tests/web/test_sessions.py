"""The session cookie: it proves a person across processes, and is void when the password changes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dashboard.web import sessions
from dashboard.web.accounts import Account, SingleOperator, UsersFile, password_hash

ADA, BOB = password_hash("ada's secret"), password_hash("bob's secret")


@pytest.fixture
def users(tmp_path: Path) -> Path:
    file = tmp_path / "users"
    file.write_text(f"ada:admin:{ADA}\nbob:viewer:{BOB}\n")
    return file


def found(accounts: UsersFile, name: str) -> Account:
    account = accounts.find(name)
    assert account is not None
    return account


def test_another_process_with_the_same_file_knows_the_session(users: Path) -> None:
    cookie = sessions.issued(found(UsersFile(str(users)), "ada"), 60)
    holder = sessions.holder(cookie, UsersFile(str(users)))
    assert holder is not None
    assert holder.name == "ada"


def test_it_is_over_after_its_time(users: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = UsersFile(str(users))
    cookie = sessions.issued(found(accounts, "ada"), 60)
    later = time.time() + 61
    monkeypatch.setattr(time, "time", lambda: later)
    assert sessions.holder(cookie, accounts) is None


def test_it_is_void_when_the_password_changes_or_the_person_is_removed(users: Path) -> None:
    accounts = UsersFile(str(users))
    cookie = sessions.issued(found(accounts, "ada"), 60)
    users.write_text(f"ada:admin:{password_hash('a new secret')}\nbob:viewer:{BOB}\n")
    assert sessions.holder(cookie, accounts) is None
    users.write_text(f"bob:viewer:{BOB}\n")
    assert sessions.holder(cookie, accounts) is None


def test_nobody_can_make_or_alter_one(users: Path) -> None:
    accounts = UsersFile(str(users))
    cookie = sessions.issued(found(accounts, "bob"), 60)
    claim, signature = cookie.split(".")
    as_ada = sessions.encoded(sessions.decoded(claim).replace(b"bob", b"ada"))
    longer = sessions.encoded(b'{"name": "bob", "until": 99999999999}')
    for forged in (
        "",
        ".",
        "a.b.c",
        "é.é",
        claim,
        f"{claim}.",
        f"{as_ada}.{signature}",
        f"{longer}.{signature}",
        f"{claim}.{signature}x",
        "x" * 5000,
        sessions.encoded(b"[]") + "." + signature,
        sessions.encoded(b'{"name": "bob", "until": Infinity}') + "." + signature,
        sessions.encoded(b'{"name": "bob", "until": 1e999}') + "." + signature,
        sessions.encoded(b"[" * 700) + "." + signature,
    ):
        assert sessions.holder(forged, accounts) is None, forged


def test_the_single_operators_session_is_void_under_another_password() -> None:
    before = SingleOperator("on-call", "one")
    account = before.find("on-call")
    assert account is not None
    cookie = sessions.issued(account, 60)
    assert sessions.holder(cookie, SingleOperator("on-call", "one")) is not None
    assert sessions.holder(cookie, SingleOperator("on-call", "two")) is None
    assert sessions.holder(cookie, SingleOperator("other", "one")) is None
