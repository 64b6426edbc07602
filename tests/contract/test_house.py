"""The habits of the house, as far as a machine can look for them."""

import ast
import re
from pathlib import Path

import pytest

from tests.support.processes import ROOT

TOP_LEVEL = set(
    ".ci .gitignore CHANGELOG.md LICENSE Makefile Procfile README.md bench dashboard docs pyproject.toml "
    "static templates tests".split()
)
# What a checkout gathers in use; all of it is in .gitignore.
LEFT_BY_USE = re.compile(r"\.git|\.venv|\.hypothesis|\..*_cache|__pycache__|build|dist|.*\.egg-info")
LINE_LIMITS = {".py": 250, ".html": 120, ".css": 120, ".js": 80, ".lua": 60}
LONGER_FOR_A_REASON = {
    # One walk over one object: in parts it would be harder to follow, not easier.
    "dashboard/queue/lua/shared/counter.lua": 90,
    # One typed method for each script, and the reader looks for all of them in one class.
    "dashboard/queue/scripts.py": 360,
}
MARKS = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "pragma: no " + "cover"]))
VAGUE_NAMES = {"utils", "util", "common", "helpers", "helper", "manager", "data", "info", "misc"}
BUILDS_A_CLIENT = re.compile(
    r"\b(Strict)?Redis(\.from_url|\.from_pool)?\(|ConnectionPool(\.from_url)?\(|redis\.from_url\("
)
# The last two play software of other people, which brings its own client.
MAY_BUILD_A_CLIENT = {
    "dashboard/queue/factory.py",
    "dashboard/demo/foreign_worker.py",
    "dashboard/demo/handlers.py",
}
FORBIDDEN_IN_TESTS = re.compile(r"pytest\.(mark\.)?(skip|xfail)|unittest\.mock|fakeredis|\bMagicMock\b")
FORBIDDEN_IN_TEMPLATES = {
    "an inline style": re.compile(r"<style|\sstyle\s*=", re.I),
    "an inline script": re.compile(r"<script(?![^>]*\ssrc\s*=)[^>]*>|javascript:", re.I),
    "an inline handler": re.compile(r"[\s\"']on[a-z]+\s*=\s*[\"']|hx-on", re.I),
    "code that htmx would evaluate": re.compile(
        r"hx-(vals|headers)\s*=\s*[\"']js:|hx-trigger\s*=\s*\"[^\"]*\["
    ),
    "text that is not escaped": re.compile(r"\|\s*safe\b|autoescape\s+false"),
    "something from another host": re.compile(r"(src|href)\s*=\s*[\"'](https?:)?//", re.I),
}


def sources(*suffixes: str) -> list[Path]:
    """Our own source files with one of the suffixes; vendored and generated ones are not ours."""
    folders = [ROOT / name for name in ("dashboard", "templates", "static", "tests", "bench")]
    found = [path for folder in folders for path in folder.rglob("*") if path.suffix in suffixes]
    return sorted(path for path in found if "vendor" not in path.parts and "__pycache__" not in path.parts)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_top_level_is_fixed() -> None:
    present = {path.name for path in ROOT.iterdir() if not LEFT_BY_USE.fullmatch(path.name)}
    assert present - TOP_LEVEL == set()
    assert TOP_LEVEL - present - {".gitignore"} == set()


def test_no_file_is_longer_than_its_kind_should_be() -> None:
    long = {}
    for path in sources(*LINE_LIMITS):
        lines = text_of(path).splitlines()
        if path.suffix == ".lua":
            # A script's comments are its contract: they cost the reader nothing.
            lines = [line for line in lines if line.strip() and not line.lstrip().startswith("--")]
        if len(lines) > LONGER_FOR_A_REASON.get(name_of(path), LINE_LIMITS[path.suffix]):
            long[name_of(path)] = len(lines)
    assert long == {}, "split by noun"


def test_nothing_is_left_unfinished() -> None:
    marked = [
        name_of(path)
        for path in sources(".py", ".html", ".css", ".js", ".lua")
        if MARKS.search(text_of(path))
    ]
    assert marked == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name_of(path) for path in sources(".py") if path.stem in VAGUE_NAMES] == []


def test_every_module_says_what_it_is() -> None:
    written = [path for path in sources(".py") if text_of(path).strip()]
    silent = [name_of(path) for path in written if not ast.get_docstring(ast.parse(text_of(path)))]
    assert silent == []


def test_every_public_class_and_function_of_the_package_is_described() -> None:
    silent = []
    for path in sources(".py"):
        if path.is_relative_to(ROOT / "dashboard"):
            silent += [f"{name_of(path)}: {name}" for name in undescribed(ast.parse(text_of(path)))]
    assert silent == []


def undescribed(tree: ast.Module) -> list[str]:
    """Names of public top-level classes, their public methods, and functions, that have no docstring."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            members = node.body if isinstance(node, ast.ClassDef) else []
            methods = [item for item in members if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
            for item, name in [(node, node.name), *((m, f"{node.name}.{m.name}") for m in methods)]:
                hidden = any(part.startswith("_") for part in name.split("."))
                if not hidden and not ast.get_docstring(item) and not is_described_elsewhere(item):
                    found.append(name)
    return found


def is_described_elsewhere(node: ast.AST) -> bool:
    """Whether it only adds a signature or a setter to something that has its description."""
    marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", [])]
    return any(mark == "overload" or mark.endswith(".setter") for mark in marks)


def test_clients_are_built_in_one_place() -> None:
    modules = [path for path in sources(".py") if path.is_relative_to(ROOT / "dashboard")]
    building = {name_of(path) for path in modules if BUILDS_A_CLIENT.search(code_of(path))}
    assert building - MAY_BUILD_A_CLIENT == set()


def code_of(path: Path) -> str:
    """A module as Python itself would write it: without comments."""
    return ast.unparse(ast.parse(text_of(path)))


def test_tests_skip_nothing_and_mock_no_server() -> None:
    wrong = [
        name_of(path)
        for path in sources(".py")
        if "tests" in path.parts and path != Path(__file__) and FORBIDDEN_IN_TESTS.search(text_of(path))
    ]
    assert wrong == []


@pytest.mark.parametrize("what", FORBIDDEN_IN_TEMPLATES)
def test_no_template_holds(what: str) -> None:
    pattern = FORBIDDEN_IN_TEMPLATES[what]
    assert [name_of(path) for path in sources(".html") if pattern.search(text_of(path))] == []


def test_every_make_target_is_explained_and_listed_as_one() -> None:
    makefile = text_of(ROOT / "Makefile")
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, re.M))
    explained = set(re.findall(r"^([a-z][\w-]*):.*## \S", makefile, re.M))
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.M)
    assert phony
    assert targets == explained == set(phony[1].split())
    assert targets >= {"demo", "test", "check", "bench", "screens"}


def test_nothing_names_a_folder_of_a_machine() -> None:
    written = sources(".py", ".html", ".css", ".js", ".lua") + sorted((ROOT / "docs").rglob("*.md"))
    assert [
        name_of(path) for path in written if re.search(r"[\s\"'(`]/(work|home|root)/", text_of(path))
    ] == []
