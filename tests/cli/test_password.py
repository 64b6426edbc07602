"""`watchkeeper password` makes lines that the console's users file takes."""

from __future__ import annotations

from pathlib import Path

from werkzeug.security import check_password_hash

from dashboard.actions.roles import Role
from dashboard.web.accounts import UsersFile
from tests.cli.conftest import Run
from tests.support.processes import PythonProcess

SECRET = "correct horse, battery: staple"


def test_a_password_from_standard_input_becomes_a_line_of_the_users_file(cli: Run, tmp_path: Path) -> None:
    ran = cli("password", "ada", "--role", "admin", "--stdin", stdin=f"{SECRET}\n".encode())

    assert (ran.code, ran.err) == (0, "")
    name, role, stored = ran.out.rstrip("\n").split(":", 2)
    assert (name, role) == ("ada", "admin")
    assert stored.startswith("scrypt:")
    assert check_password_hash(stored, SECRET)
    users = tmp_path / "users"
    users.write_text(ran.out)
    account = UsersFile(str(users)).verify("ada", SECRET)
    assert account is not None
    assert account.role is Role.ADMIN


def test_two_lines_of_one_password_have_salts_of_their_own(cli: Run) -> None:
    lines = {cli("password", "ada", "--stdin", stdin=SECRET.encode()).out for _ in range(2)}

    assert len(lines) == 2


def test_a_short_password_is_refused_and_not_shown(cli: Run) -> None:
    ran = cli("password", "ada", "--stdin", stdin=b"hush\n")

    assert (ran.code, ran.out) == (2, "")
    assert "at least 8" in ran.err
    assert "hush" not in ran.err


def test_without_a_terminal_and_without_stdin_the_prompt_is_given_up() -> None:
    with PythonProcess("-m", "dashboard.cli", "password", "ada") as process:
        assert process.wait(20) == 130
        assert "Traceback" not in process.output()
