"""Trying planted bugs: a copy of the tree, one edit, one test, and what came of it.

Owns: copies in a temporary folder and the test processes in them. Refuses: to edit the tree itself, and to
call a bug caught by anything but its named test failing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant

TEST_SECONDS = 300
"""For one test, Hypothesis' search for a shorter failure included."""
TESTS_FAILED = 1
"""Pytest's exit code when all was collected, and tests failed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`verdict`: "caught"; "survived": the test passed; or "error": something else happened, as `told`."""

    mutant: Mutant
    verdict: str
    seconds: float
    told: str = ""


def copy_tracked(root: Path, target: Path) -> None:
    """Copy the files that version control knows, as they stand in the tree now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        # What was removed and not yet committed is no part of the tree.
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, target / name)


def fault_in(root: Path, mutant: Mutant) -> str:
    """Why a bug cannot be planted; "" when it can."""
    path = root / mutant.path
    if not path.is_file():
        return f"{mutant.path} is not there"
    count = path.read_text(encoding="utf-8").count(mutant.old)
    return "" if count == 1 else f"its text stands {count} times in {mutant.path}"


def attempt(base: Path, mutant: Mutant) -> Outcome:
    """Plant the bug in a copy of `base`, and run its test there."""
    fault = fault_in(base, mutant)
    if fault:
        return Outcome(mutant, "error", 0.0, fault)
    started = time.monotonic()
    tree = base.parent / f"tree-{mutant.name.replace(' ', '-')}"
    shutil.copytree(base, tree)
    try:
        path = tree / mutant.path
        path.write_text(path.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
        code, output = run_tests(tree, [mutant.test])
    finally:
        shutil.rmtree(tree)
    seconds = time.monotonic() - started
    if code == TESTS_FAILED and f"\nFAILED {mutant.test}" in output and "\nERROR " not in output:
        return Outcome(mutant, "caught", seconds)
    return Outcome(mutant, "survived" if code == 0 else "error", seconds, "" if code == 0 else output[-2000:])


def run_tests(tree: Path, tests: Iterable[str]) -> tuple[int, str]:
    """Run tests in a tree until the first failure; return pytest's exit code and what it wrote."""
    options = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-x"]
    # The tree before whatever is installed: the processes that tests start are to run its code too.
    # Plug-ins would only take time to load.
    env = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", *options, *tests]
    try:
        ended = subprocess.run(
            command, cwd=tree, env=env, capture_output=True, text=True, timeout=TEST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"not over within {TEST_SECONDS} s"
    return ended.returncode, ended.stdout + ended.stderr


def failures_without_bugs(base: Path, mutants: Sequence[Mutant]) -> str:
    """Run every named test in the tree as it is; return what pytest wrote when one fails, else ""."""
    code, output = run_tests(base, sorted({mutant.test for mutant in mutants}))
    return "" if code == 0 else output
