"""Who may sign in: a users file, or one password for a single operator.

Owns: reading both, checking a password, and the key that signs a person's session. Refuses: to store or
show a password; to be used without the `Settings` check that a public address has one of the two.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from werkzeug.security import check_password_hash, generate_password_hash

from dashboard.actions.roles import Role
from dashboard.settings import SettingsError

HASH_METHOD = "scrypt:32768:8:1"
NAME_LENGTH_MAX = 60

HASH_BYTES_MAX = 256 * 2**20
"""Memory that one check of a password may take; 33 MB with the hashes that we make."""
_HASH = re.compile(r"scrypt:([0-9]{1,9}):([0-9]{1,9}):([0-9]{1,9})\$[!-#%-~]+\$[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Account:
    """A person: `secret` proves the password and is never shown."""

    name: str
    role: Role
    secret: str = field(repr=False)

    @property
    def session_key(self) -> bytes:
        """Signs this person's sessions: another password, another key, and old sessions are void."""
        return hashlib.sha256(b"watchkeeper session\0" + self.secret.encode()).digest()


class Accounts(Protocol):
    """What the gate asks."""

    asks_name: bool

    def find(self, name: str) -> Account | None:
        """The person of this name as of now."""

    def verify(self, name: str, password: str) -> Account | None:
        """The person when the password is right; takes about as long when it is not."""


class SingleOperator:
    """One password, from the environment, for one admin."""

    asks_name = False

    def __init__(self, name: str, password: str) -> None:
        """Derives the session key once; about 50 ms."""
        self._password = password.encode()
        salt = b"watchkeeper single operator\0" + name.encode()
        derived = hashlib.scrypt(self._password, salt=salt, n=16384, r=8, p=1, dklen=32)
        self._account = Account(name, Role.ADMIN, derived.hex())

    def find(self, name: str) -> Account | None:
        """The operator, when the session was made for that name."""
        return self._account if name == self._account.name else None

    def verify(self, name: str, password: str) -> Account | None:
        """The form asks for no name; scripts give the operator's."""
        right = hmac.compare_digest(password.encode(), self._password)
        return self._account if right and name in ("", self._account.name) else None


class UsersFile:
    """Lines `name:role:hash`; empty lines and lines that begin with # are passed over.

    Read again when it changes. A file that has become unreadable keeps nobody: nobody can sign in, and
    sessions are void until it is mended; `SettingsError` is for the start only.
    """

    asks_name = True

    def __init__(self, path: str) -> None:
        """Reads the file; SettingsError names it and the line that is wrong."""
        self._path = Path(path)
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._accounts: dict[str, Account] = {}
        self.fault = ""
        self._accounts = parsed(self._path)
        self._stamp = self._now()

    def find(self, name: str) -> Account | None:
        """The person of this name, by the file as it stands."""
        self._refresh()
        return self._accounts.get(name)

    def verify(self, name: str, password: str) -> Account | None:
        """The person when the password is right."""
        account = self.find(name)
        right = check_password_hash(account.secret if account else nobodys_hash(), password)
        return account if right else None

    def _now(self) -> tuple[int, int, int] | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _refresh(self) -> None:
        if (stamp := self._now()) == self._stamp:
            return
        with self._lock:
            try:
                self._accounts, self.fault = parsed(self._path), ""
            except SettingsError as error:
                self._accounts, self.fault = {}, str(error)
            self._stamp = stamp


@cache
def nobodys_hash() -> str:
    """Checked when a name is unknown, so that an answer takes as long as for a known one."""
    return generate_password_hash("nobody has this password", HASH_METHOD)


def parsed(path: Path) -> dict[str, Account]:
    """The people of a file by name; SettingsError says in one sentence what is wrong with which line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"The users file {path} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise SettingsError(f"The users file {path} is not UTF-8 text.") from None
    accounts: dict[str, Account] = {}
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            account = parsed_line(line.strip(), f"Line {number} of the users file {path}")
            if account.name in accounts:
                raise SettingsError(
                    f"Line {number} of the users file {path} repeats the name {account.name!r}."
                )
            accounts[account.name] = account
    if not accounts:
        raise SettingsError(f"The users file {path} names nobody; `watchkeeper password` makes a line.")
    return accounts


def parsed_line(line: str, where: str) -> Account:
    """One person; `where` begins the sentence of an error."""
    name, first, rest = line.partition(":")
    role, second, secret = rest.partition(":")
    if not (first and second and secret):
        raise SettingsError(f"{where} is not name:role:hash.")
    if not name or len(name) > NAME_LENGTH_MAX or not name.isprintable():
        raise SettingsError(f"{where} has no usable name: 1 to {NAME_LENGTH_MAX} printable characters.")
    if role not in {known.value for known in Role}:
        raise SettingsError(f"{where} has the role {role!r}: it must be viewer, operator or admin.")
    if not _is_hash(secret):
        raise SettingsError(f"{where} has no hash that `watchkeeper password` made.")
    return Account(name, Role(role), secret)


def _is_hash(secret: str) -> bool:
    """Tell whether a password can be checked against `secret`: one that cannot would fail at each sign-in."""
    found = _HASH.fullmatch(secret)
    if found is None:
        return False
    cost, blocks, lanes = (int(number) for number in found.groups())
    is_power_of_two = cost > 1 and cost & (cost - 1) == 0
    return is_power_of_two and blocks > 0 and lanes > 0 and 132 * cost * blocks * lanes <= HASH_BYTES_MAX


def password_hash(password: str) -> str:
    """The hash of a password for a line of the users file."""
    return generate_password_hash(password, HASH_METHOD)
