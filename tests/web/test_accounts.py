"""The users file and the single password: who gets in, and which sentence refuses a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.actions.roles import Role
from dashboard.settings import SettingsError
from dashboard.web.accounts import SingleOperator, UsersFile, password_hash

ADA, BOB = password_hash("ada's secret"), password_hash("bob's secret")


@pytest.fixture
def users(tmp_path: Path) -> Path:
    file = tmp_path / "users.txt"
    file.write_text(f"# on call\nada:admin:{ADA}\n\nbob:viewer:{BOB}\n")
    return file


def test_the_right_password_gives_the_person_with_the_role(users: Path) -> None:
    account = UsersFile(str(users)).verify("bob", "bob's secret")
    assert account is not None
    assert (account.name, account.role) == ("bob", Role.VIEWER)


@pytest.mark.parametrize(
    ("name", "password"), [("ada", "bob's secret"), ("eve", "ada's secret"), ("", ""), ("ada", "")]
)
def test_a_wrong_name_or_password_gives_nobody(users: Path, name: str, password: str) -> None:
    assert UsersFile(str(users)).verify(name, password) is None


def test_the_hash_is_not_shown(users: Path) -> None:
    account = UsersFile(str(users)).find("ada")
    assert "scrypt" not in repr(account)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("ada", "is not name:role:hash"),
        ("ada:admin", "is not name:role:hash"),
        (f"ada:root:{ADA}", "has the role 'root': it must be viewer, operator or admin"),
        ("ada:admin:secret", "has no hash that `watchkeeper password` made"),
        *[
            (f"ada:admin:{hash_}", "has no hash that `watchkeeper password` made")
            for hash_ in (
                "scrypt:$$",
                f"scrypt:32768:8$salt${'0' * 128}",
                f"scrypt:x:8:1$salt${'0' * 128}",
                f"scrypt:32769:8:1$salt${'0' * 128}",
                f"scrypt:0:0:0$salt${'0' * 128}",
                f"scrypt:1073741824:8:1$salt${'0' * 128}",
                f"scrypt:32768:8:1$salt${'é' * 128}",
                ADA[:-1],
            )
        ],
        (f":admin:{ADA}", "has no usable name"),
        (f"{'x' * 61}:admin:{ADA}", "has no usable name"),
        (f"a\x1b:admin:{ADA}", "has no usable name"),
    ],
)
def test_a_wrong_line_is_named_in_one_sentence(tmp_path: Path, line: str, wrong: str) -> None:
    file = tmp_path / "users"
    file.write_text(f"bob:viewer:{BOB}\n{line}\n")
    with pytest.raises(SettingsError) as refused:
        UsersFile(str(file))
    assert str(refused.value).startswith(f"Line 2 of the users file {file} ")
    assert wrong in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_file_that_repeats_a_name_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "users"
    with pytest.raises(SettingsError, match="cannot be read"):
        UsersFile(str(file))
    file.write_text("# nobody yet\n")
    with pytest.raises(SettingsError, match="names nobody"):
        UsersFile(str(file))
    file.write_text(f"ada:admin:{ADA}\nada:viewer:{BOB}\n")
    with pytest.raises(SettingsError, match=r"Line 2 .* repeats the name 'ada'"):
        UsersFile(str(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not UTF-8"):
        UsersFile(str(file))


def test_a_changed_file_counts_at_once(users: Path) -> None:
    accounts = UsersFile(str(users))
    assert accounts.find("bob") is not None
    replacement = users.with_suffix(".new")
    replacement.write_text(f"ada:operator:{ADA}\n")
    replacement.replace(users)
    assert accounts.find("bob") is None
    ada = accounts.find("ada")
    assert ada is not None
    assert ada.role is Role.OPERATOR


def test_a_file_that_broke_lets_nobody_in_until_it_is_mended(users: Path) -> None:
    accounts, good = UsersFile(str(users)), users.read_text()
    users.write_text("nonsense\n")
    assert accounts.find("ada") is None
    assert "Line 1" in accounts.fault
    users.unlink()
    assert accounts.find("ada") is None
    users.write_text(good)
    assert accounts.find("ada") is not None
    assert accounts.fault == ""


def test_the_single_operator_needs_no_name_and_is_an_admin() -> None:
    accounts = SingleOperator("on-call", "a long password")
    account = accounts.verify("", "a long password")
    assert account is not None
    assert (account.name, account.role) == ("on-call", Role.ADMIN)
    assert accounts.verify("on-call", "a long password") == account
    assert accounts.verify("eve", "a long password") is None
    assert accounts.verify("", "a long passwort") is None
    assert accounts.verify("", "a löng password") is None
