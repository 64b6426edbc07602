"""What the tests themselves tell of the scenarios: which there are, and on which servers each runs.

Owns: reading tests and fixtures from their source. Refuses: to run or import one.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.support.processes import ROOT

TESTS = ROOT / "tests"
NUMBERED = re.compile(r"test_S(\d+)_\w+")
EACH_SERVER = {"shared_server", "each_server"}
"""Fixtures that are both servers, one after the other, in tests that carry a number."""
KINDS = ("'valkey'", "'redis'")
"""What a test names that starts servers of its own."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """One file of tests or fixtures."""

    path: Path
    text: str
    functions: dict[str, Function] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its path below the folder of the tests."""
        return self.path.relative_to(TESTS).as_posix()


@cache
def modules() -> dict[str, Module]:
    """All files of tests and fixtures, by name."""
    found = {}
    for path in sorted(TESTS.rglob("*.py")):
        if path.name == "conftest.py" or path.name.startswith("test_"):
            text = path.read_text(encoding="utf-8")
            module = Module(path, text)
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, Function):
                    module.functions[node.name] = node
            found[module.name] = module
    return found


def numbered() -> dict[int, list[str]]:
    """The tests of each number, as `path::name`."""
    found: dict[int, list[str]] = {}
    for module in modules().values():
        for name in module.functions:
            if match := NUMBERED.fullmatch(name):
                found.setdefault(int(match[1]), []).append(f"{module.name}::{name}")
    return found


def runs_on_both_servers(test: str) -> bool:
    """Whether a test takes a fixture that is both servers, however indirectly, or names both kinds itself."""
    path, name = test.split("::")
    module = modules()[path]
    function = module.functions[name]
    asked: dict[str, str] = {}
    collect_fixtures(module, function, asked)
    if asked.keys() & EACH_SERVER:
        return True
    own = "\n".join([source_of(module, function), *asked.values()])
    return all(kind in own for kind in KINDS)


def collect_fixtures(module: Module, function: Function, asked: dict[str, str]) -> None:
    """Gather all fixtures that a function asks for, and those that these ask for, with their source."""
    for name in [argument.arg for argument in [*function.args.args, *function.args.kwonlyargs]]:
        if name not in asked:
            found = fixture(module, name, function)
            asked[name] = source_of(*found) if found else ""
            if found:
                collect_fixtures(*found, asked)


def fixture(module: Module, name: str, asking: Function) -> tuple[Module, Function] | None:
    """The fixture of that name that a module sees: its own, or that of the nearest conftest above."""
    folders = [folder / "conftest.py" for folder in module.path.parents if folder.is_relative_to(TESTS)]
    for path in [module.path, *folders]:
        candidate = modules().get(path.relative_to(TESTS).as_posix())
        if candidate and (function := candidate.functions.get(name)) and function is not asking:
            return candidate, function
    return None


def source_of(module: Module, function: Function) -> str:
    """A function, with the values of the module's own constants that it names."""
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    values = [ast.unparse(function)]
    for node in ast.parse(module.text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        if any(isinstance(target, ast.Name) and target.id in used for target in targets):
            values.append(ast.unparse(node))
    return "\n".join(values)
