"""Every line of every library has one format, and none tells a secret."""

import json
from typing import Any

import pytest

from tests.support.processes import run_python

SECRET = "hunter2"
WRITE_LINES = f"""
import logging, sys
import structlog
from dashboard.logs import set_up
from dashboard.settings import Settings
set_up(Settings(log_format=sys.argv[1], log_level=sys.argv[2]))
log = structlog.get_logger("ours")
log.info("reaped", queue=b"ma\\xffil", password="{SECRET}", csrf_token="{SECRET}")
log.debug("detail")
logging.getLogger("dashboard.queue.worker").warning("lost", extra={{"queue": b"mail"}})
logging.getLogger("redis").error("away: redis://user:{SECRET}@@h:1/0")
try:
    raise RuntimeError("redis://:{SECRET}@h/0 is away")
except RuntimeError:
    log.exception("pass failed")
"""


def lines(form: str, level: str) -> str:
    ended = run_python("-c", WRITE_LINES, form, level)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == ""
    return ended.stderr


def test_json_lines_carry_names_as_text_and_say_who_wrote_them() -> None:
    events: list[dict[str, Any]] = [json.loads(line) for line in lines("json", "info").splitlines()]
    assert [event["event"] for event in events][:2] == ["reaped", "lost"]
    assert [event["level"] for event in events] == ["info", "warning", "error", "error"]
    assert [event["logger"] for event in events] == ["ours", "dashboard.queue.worker", "redis", "ours"]
    assert events[0]["queue"] == "ma\\xffil"
    assert events[1]["queue"] == "mail"
    assert events[2]["event"] == "away: redis://***@h:1/0"
    assert "RuntimeError: redis://***@h/0 is away" in events[3]["exception"]


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_line_tells_a_secret(form: str) -> None:
    written = lines(form, "debug")
    assert SECRET not in written
    assert "***" in written


def test_lines_below_the_level_are_not_written() -> None:
    assert "detail" in lines("console", "debug")
    assert "detail" not in lines("console", "info")
    assert "reaped" not in lines("console", "warning")
