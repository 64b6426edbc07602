"""Scripts keep the promises of their heads, as far as reading them can tell."""

import ast
import re
from itertools import takewhile

import pytest

from dashboard.queue import lua_source
from dashboard.queue.answers import Code
from dashboard.queue.lua_source import LUA_DIR
from tests.support.processes import ROOT
from tests.support.script_cases import CASES

NAMES = lua_source.names()
SHARED = sorted(path.stem for path in (LUA_DIR / "shared").glob("*.lua"))
SERVERS = frozenset(
    "redis cjson string math table tonumber tostring type ipairs pcall unpack KEYS ARGV".split()
)
KEYWORDS = frozenset(
    "and break do else elseif end false for function if in local nil not or repeat return then true until "
    "while".split()
)
STRINGS = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
LOCAL = re.compile(r"\blocal\s+(?:function\s+)?([\w\s,]+?)\s*(?:=|\(|\n|$)", re.M)
PARAMETERS = re.compile(r"\bfunction\s*\w*\s*\(([^)]*)\)")
LOOP = re.compile(r"\bfor\s+([\w\s,]+?)\s*(?:=|in\b)")
WORD = re.compile(r"(?<![\w.:])[A-Za-z_]\w*")


def text_of(name: str) -> str:
    """A script's own text, without what it includes."""
    return (LUA_DIR / f"{name}.lua").read_text("utf-8")


def head_of(name: str) -> str:
    """The comments that a script opens with."""
    lines = text_of(name).splitlines()
    return "\n".join(takewhile(lambda line: line.startswith("--"), lines))


def code_of(text: str) -> str:
    """Lua without comments, and with its texts empty."""
    return re.sub(r"--[^\n]*", "", STRINGS.sub("''", text))


def undeclared(text: str) -> set[str]:
    """Names that a script uses and never declares: they would be globals, which the server refuses."""
    code = code_of(text)
    declared: set[str] = set(SERVERS | KEYWORDS)
    for pattern in (LOCAL, PARAMETERS, LOOP):
        for match in pattern.finditer(code):
            declared |= set(re.findall(r"\w+", match[1]))
    fields = set(re.findall(r"[{,]\s*(\w+)\s*=(?!=)", code))
    return set(WORD.findall(code)) - declared - fields


def test_a_global_would_be_seen() -> None:
    assert undeclared("local a = 1\nb = a\nlocal t = {c = d}") == {"b", "d"}
    assert undeclared("for i, v in ipairs(ARGV) do x(v) end") == {"x"}
    assert undeclared("local function f(a, ...) return a .. 'z' -- y\nend") == set()


@pytest.mark.parametrize("name", NAMES)
def test_no_script_uses_a_global(name: str) -> None:
    assert undeclared(lua_source.load(name).text) == set()


@pytest.mark.parametrize("name", NAMES)
def test_the_head_names_every_key_and_argument_by_its_number(name: str) -> None:
    head, code = head_of(name), code_of(text_of(name))
    keys = head[head.index("-- KEYS") : head.index("-- ARGV")]
    arguments = head[head.index("-- ARGV") : head.index("-- Answers")]
    for part, used in [(keys, r"KEYS\[(\d+)\]"), (arguments, r"ARGV\[(\d+)\]")]:
        told = {int(number) for number in re.findall(r"(?<![\w.])(\d+)(?=…?\s+[a-z'])", part)}
        numbers = {int(number) for number in re.findall(used, code)}
        assert numbers <= told or (numbers == {1} and not told), f"{part}\nuses {sorted(numbers)}"
    assert {int(n) for n in re.findall(r"KEYS\[(\d+)\]", code)} == set(
        range(1, 1 + max(int(n) for n in re.findall(r"KEYS\[(\d+)\]", code)))
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_head_says_what_it_is_what_it_answers_and_whether_twice_is_safe(name: str) -> None:
    head = head_of(name)
    assert re.match(rf"-- {name.replace('_', ' ').capitalize()}[:, ]", head), head
    assert re.search(r"[Ss]afe to run twice|Writes nothing", head), head
    codes = {
        code for code in re.findall(r"'([a-z]+)'", head[head.index("-- Answers") :]) if code in set(Code)
    }
    assert codes, head
    assert re.search(r"wrongtype", head)


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_of_the_head_comes_from_the_code_and_from_a_test(name: str) -> None:
    head, code = head_of(name), lua_source.load(name).text
    answers = re.sub(r"'(?:pending|dead)' \| '\w+'", "", head[head.index("-- Answers") :])
    promised = set(re.findall(r"\{'([a-z]+)'", answers)) - {"wrongtype"}
    promised |= {word for pair in re.findall(r"\{'([a-z]+)' \| '([a-z]+)'", answers) for word in pair}
    body = "\n".join(line for line in code.splitlines() if not line.startswith("--"))
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests/lua").glob("test_*.py"))
    for word in promised:
        assert f"'{word}'" in body, f"{name}.lua never answers {word}"
        if word not in ("peeked", "located"):
            assert f"Code.{word.upper()}" in tests, f"no test of {name} sees {word}"


@pytest.mark.parametrize("name", NAMES)
def test_json_is_never_made_of_a_job(name: str) -> None:
    own = text_of(name)
    assert "cjson" not in own


def test_shared_parts_use_json_for_the_answers_of_acts_and_the_ends_of_workers_only() -> None:
    used = {name: re.findall(r"cjson\.(\w+)", text_of(f"shared/{name}")) for name in SHARED}
    assert {name: calls for name, calls in used.items() if calls} == {
        "record": ["decode", "encode"],
        "worker": ["encode"],
    }


def test_every_shared_part_is_included_somewhere_and_nothing_else_is() -> None:
    files = [*NAMES, *(f"shared/{part}" for part in SHARED)]
    included = {part for name in files for part in re.findall(r"^--@include (\w+)$", text_of(name), re.M)}
    assert included == set(SHARED)
    for name in NAMES:
        assert "--@include" not in lua_source.load(name).text


def test_no_script_needs_a_newer_server_than_6_2() -> None:
    for name in NAMES:
        text = lua_source.load(name).text
        assert not text.startswith("#!"), name
        assert not re.search(r"redis\.(acl_check_cmd|setresp|register_function)|server\.", text), name


def test_every_script_has_one_method_and_a_test_of_its_own() -> None:
    tree = ast.parse((ROOT / "dashboard/queue/scripts.py").read_text("utf-8"))
    called = {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("_run", "_run_many", "_move", "_switch")
        and isinstance(node.args[0], ast.Constant)
    }
    assert called == set(NAMES)
    assert {case.script for case in CASES} == set(NAMES) - {"peek", "locate"}
    tests = {path.stem for path in (ROOT / "tests/lua").glob("test_*.py")}
    untested = {name for name in NAMES if not any(test.startswith(f"test_{name}") for test in tests)}
    assert untested == set()
