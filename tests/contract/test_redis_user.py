"""docs/security.md names exactly the commands that our own code asks for and gives."""

from __future__ import annotations

import re

from dashboard.queue import lua_source
from dashboard.queue.permissions import COMMANDS, Part, needed_by
from tests.support.processes import ROOT
from tests.support.redis_user import documented, page

SCRIPTS_OF = {
    Part.WORKER: "beat claim settle fail release retire requeue",
    Part.JANITOR: "requeue promote sample",
    Part.PRODUCER: "enqueue enqueue_at enqueue_once",
}
# Shared parts bring more than one script uses: answers of acts, and finding exact entries.
CALL = re.compile(r"redis\.p?call\(\s*(?:[\w.]+ and )?'([A-Z]+)'(?: or '([A-Z]+)')?")


def own_calls(name: str) -> set[str]:
    """The commands in a script's own text."""
    text = (lua_source.LUA_DIR / f"{name}.lua").read_text("utf-8")
    return {command for pair in CALL.findall(text) for command in pair if command}


def names_of(part: Part) -> set[str]:
    return {one.command for one in needed_by(part)}


def test_the_table_of_the_page_says_what_the_code_knows() -> None:
    written = {row.command: (row.needed_by, row.without) for row in documented()}
    known: dict[str, tuple[frozenset[str], str]] = {}
    for one in COMMANDS:
        parts = frozenset(map(str, one.parts)) | known.get(one.command, (frozenset(), ""))[0]
        starts = parts & {"worker", "janitor"}
        known[one.command] = (parts, one.without or ("no start" if starts else "refused when used"))
    assert written == known


def test_the_rule_to_copy_allows_the_commands_of_the_table_and_no_others() -> None:
    (rule,) = re.findall(r"^ACL SETUSER watchkeeper .*$", page(), re.M)
    assert [word for word in rule.split() if word.startswith("+")] == [row.rule for row in documented()]


def test_every_command_of_every_script_is_known_for_the_part_that_runs_it() -> None:
    for part, scripts in SCRIPTS_OF.items():
        for name in scripts.split():
            assert own_calls(name) <= names_of(part), name
    for name in lua_source.names():
        assert own_calls(name) <= {one.command for one in COMMANDS}, name


def test_every_command_of_the_consoles_own_scripts_is_known_for_it() -> None:
    folder = ROOT / "dashboard" / "inspector" / "lua"
    for path in folder.glob("*.lua"):
        calls = {word for pair in CALL.findall(path.read_text("utf-8")) for word in pair if word}
        assert calls <= names_of(Part.CONSOLE), path.name
