"""Imports point down: the contracts of pyproject.toml hold, and notice an import that points up."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"

PLANTED = [
    ("queue/keys.py", "import dashboard.inspector", "Rooms call down"),
    ("queue/keys.py", "import flask", "The library knows"),
    ("queue/keys.py", "from dashboard.settings import Settings", "The library knows"),
    ("inspector/__init__.py", "import dashboard.actions", "Rooms call down"),
    ("inspector/__init__.py", "import dashboard.redis_client", "Reading and acting"),
    ("actions/__init__.py", "import dashboard.web", "Rooms call down"),
    ("actions/__init__.py", "from dashboard import logs", "Reading and acting"),
    ("web/__init__.py", "import redis", "The web never speaks"),
    ("web/__init__.py", "import dashboard.cli", "Rooms call down"),
    ("demo/__init__.py", "import dashboard.cli", "Rooms call down"),
    ("settings/parsing.py", "import dashboard.queue.keys", "Leaves import no room"),
    ("redis_client.py", "import dashboard.inspector", "From the settings to the library's factory"),
]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the linter with `folder` first on the path, so that it reads the package there."""
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and its contracts, copied to where a test may spoil them."""
    folder = tmp_path_factory.mktemp("layers")
    shutil.copytree(ROOT / "dashboard", folder / "dashboard", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_every_contract_is_kept() -> None:
    ended = lint_imports(ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(("module", "line", "contract"), PLANTED)
def test_an_import_that_points_up_is_found(copy: Path, module: str, line: str, contract: str) -> None:
    path = copy / "dashboard" / module
    before = path.read_text(encoding="utf-8")
    path.write_text(f"{before}\n{line}\n", encoding="utf-8")
    try:
        ended = lint_imports(copy)
    finally:
        path.write_text(before, encoding="utf-8")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    broken = [said for said in ended.stdout.splitlines() if " BROKEN" in said]
    assert any(said.startswith(contract) for said in broken), ended.stdout
