"""The guard: whatever ends the demo, nothing of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.demo.components import Component, DemoEnded, Guard
from dashboard.demo.guard import session_members
from tests.support.processes import PythonProcess, state_of, wait_until

FAMILY = """
import os, sys, time
for _ in range(2):
    if os.fork() == 0:
        if sys.argv[1] == "groups":
            os.setpgid(0, 0)
        break
print("up", flush=True)
time.sleep(600)
"""
DEMO = """
import os, sys, time
from pathlib import Path
from dashboard.demo.components import Component, Guard
folder = Path(sys.argv[1])
guard = Guard(folder)
sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
one = Component("one", sleeping, dict(os.environ), folder / "log", folder)
one.start(guard)
print("child", one.session, flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the demo makes one, with something in it."""
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "dump").write_text("x")
    return folder


@pytest.fixture
def guard(folder: Path) -> Iterator[Guard]:
    """A guard over the folder, finished at the end."""
    guard = Guard(folder)
    yield guard
    guard.finish()


def started(guard: Guard, folder: Path, *command: str) -> Component:
    """A component that runs a Python text."""
    component = Component(
        "the one", [sys.executable, "-c", *command], dict(os.environ), folder.parent / "the-log", folder
    )
    component.start(guard)
    wait_until(lambda: "up" in component.last_words(), 10, "the component is up")
    return component


@pytest.mark.parametrize("groups", ["same", "groups"])
def test_finishing_ends_every_process_of_a_session_frozen_ones_and_other_groups_too(
    guard: Guard, folder: Path, groups: str
) -> None:
    family = started(guard, folder, FAMILY, groups)
    wait_until(lambda: len(session_members(family.session)) == 3, 5, "three processes run")
    pids = session_members(family.session)
    os.kill(pids[-1], signal.SIGSTOP)

    guard.finish()

    family.wait(0)
    assert [pid for pid in pids if state_of(pid) not in ("", "Z")] == []
    assert not folder.exists()


def test_a_sigkill_of_the_demo_ends_its_processes_and_removes_its_folder(folder: Path) -> None:
    with PythonProcess("-c", DEMO, str(folder)) as demo:
        child = int(demo.wait_for_output("child", 10).split()[1])
        assert state_of(child) != ""

        demo.kill()

        wait_until(lambda: state_of(child) in ("", "Z"), 5, "the child is gone")
        wait_until(lambda: not folder.exists(), 5, "the folder is gone")


def test_a_forgotten_session_is_left_alone(guard: Guard, folder: Path) -> None:
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        guard.watch(stranger.pid)
        guard.forget(stranger.pid)

        guard.finish()

        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_component_that_dies_again_and_again_ends_the_demo_with_its_last_words(
    guard: Guard, folder: Path
) -> None:
    component = started(guard, folder, "print('up'); print('no luck today'); raise SystemExit(3)")
    for _ in range(5):
        component.count_restart()

    with pytest.raises(DemoEnded, match=r"the one ended 6 times within a minute.*no luck today"):
        component.count_restart()


def test_without_its_guard_the_demo_ends_and_still_leaves_nothing(guard: Guard, folder: Path) -> None:
    family = started(guard, folder, FAMILY, "groups")
    wait_until(lambda: len(session_members(family.session)) == 3, 5, "three processes run")
    pids = session_members(family.session)
    guard._process.kill()
    guard._process.wait()

    with pytest.raises(DemoEnded, match="its guard process has ended"):
        guard.check()
    guard.finish()

    assert [pid for pid in pids if state_of(pid) not in ("", "Z")] == []
    assert not folder.exists()
