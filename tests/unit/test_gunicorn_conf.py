"""Gunicorn takes its configuration from the settings, and does not start on wrong ones."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.support.processes import PythonProcess, run_python
from tests.support.server import free_port

ARGUMENTS = ("-m", "gunicorn", "--config", "python:dashboard.gunicorn_conf", "mini:app")
MINI = """
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"served"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an application that needs no Redis."""
    (tmp_path / "mini.py").write_text(MINI, encoding="utf-8")
    return tmp_path


def test_it_listens_where_the_settings_say_and_logs_in_their_format(folder: Path) -> None:
    port = free_port()
    env = {"WATCHKEEPER_PORT": str(port), "WATCHKEEPER_LOG_FORMAT": "json", "HOME": str(folder)}
    with PythonProcess(*ARGUMENTS, env=env, cwd=folder) as server:
        server.wait_for_output("Booting worker", 20)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            assert answer.read() == b"served"
        events = [json.loads(line) for line in server.output().splitlines()]
    assert f"http://127.0.0.1:{port}" in " ".join(event["event"] for event in events)
    assert any("gthread" in event["event"] for event in events)
    assert not any("GET" in event["event"] for event in events), "an access log repeats every poll"
    assert not list(folder.rglob("*.ctl")), "no control socket"


@pytest.mark.parametrize(
    "env",
    [{"WATCHKEEPER_HOST": "0.0.0.0"}, {"WATCHKEEPER_PORT": "web"}, {"WATCHKEEPER_PROT": "80"}],
)
def test_wrong_settings_are_one_sentence_and_exit_code_2(env: dict[str, str], folder: Path) -> None:
    ended = run_python(*ARGUMENTS, env=env, cwd=folder)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"watchkeeper: {next(iter(env))} is ")
    assert ended.stderr.count("\n") == 1
