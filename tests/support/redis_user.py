"""The user of Redis that docs/security.md describes, made from what stands there.

Owns: reading the table of commands, and a server's user with exactly these. Refuses: to know a command that
the page does not name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import redis

from tests.support.processes import ROOT
from tests.support.server import ValkeyServer

NAME, PASSWORD = "watchkeeper", "secret"
ROW = re.compile(r"^\| `([A-Z ]+)` \| ([a-z, ]+) \| ([^|]+) \|$", re.M)


@dataclass(frozen=True, slots=True)
class Documented:
    """One row of the table."""

    command: str
    needed_by: frozenset[str]
    without: str

    @property
    def rule(self) -> str:
        """The rule that allows it."""
        return "+" + self.command.lower().replace(" ", "|")

    @property
    def stops(self) -> bool:
        """Whether worker and janitor do not start without it."""
        return self.without == "no start"


def page() -> str:
    """The text of the page."""
    return (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def documented() -> list[Documented]:
    """The rows of the table."""
    return [
        Documented(command, frozenset(who.split(", ")), without.strip())
        for command, who, without in ROW.findall(page())
    ]


def documented_for(part: str) -> list[Documented]:
    """The rows about one part."""
    return [row for row in documented() if part in row.needed_by]


def rules_for_clusters() -> list[str]:
    """The rules that the page adds for a cluster."""
    (line,) = re.findall(r"^- On a cluster .*$", page(), re.M)
    return re.findall(r"`(\+[a-z|]+)`", line)


def make_user(admin: redis.Redis, keys: str, *more: str, without: str = "") -> None:
    """Make the user, for keys of that pattern, perhaps without one command; its old self is gone.

    `more` are further rules.
    """
    rules = [*(row.rule for row in documented() if row.command != without), *more]
    admin.execute_command("ACL", "SETUSER", NAME, "reset", "on", f">{PASSWORD}", f"~{keys}", *rules)  # type: ignore[no-untyped-call]


def url_of_user(server: ValkeyServer) -> str:
    """The URL under which the user comes to database 0."""
    return f"redis://{NAME}:{PASSWORD}@127.0.0.1:{server.port}/0"


def client_of_user(server: ValkeyServer) -> redis.Redis:
    """A client of the user."""
    return server.client(username=NAME, password=PASSWORD, driver_info=None)
