"""Wrong arguments and settings: one sentence on standard error, exit code 2, nothing done."""

from __future__ import annotations

import pytest
import redis

from dashboard.cli.commands import NAMES
from tests.cli.conftest import Run

WRONG = {
    "no such command": ("qeues",),
    "no such option": ("queues", "--jsn"),
    "an argument too many": ("queues", "mail"),
    "no queue": ("jobs",),
    "no such place": ("jobs", "mail", "failed"),
    "an empty name": ("jobs", ""),
    "a limit of nothing": ("jobs", "mail", "--limit", "0"),
    "a limit of text": ("workers", "--limit", "many"),
    "no such state": ("workers", "--state", "failed"),
    "no payload": ("enqueue", "mail"),
    "a payload and a file": ("enqueue", "mail", "1", "--from", "-"),
    "a payload that is no JSON": ("enqueue", "mail", "{"),
    "a payload that only Python reads": ("enqueue", "mail", "NaN"),
    "a payload too deep": ("enqueue", "mail", "[" * 100_000),
    "a delay in the past": ("enqueue", "mail", "1", "--in", "-1"),
    "an id for a whole file": ("enqueue", "mail", "--from", "-", "--id", "x"),
    "a file that is not there": ("enqueue", "mail", "--from", "/nowhere/at/all"),
    "a reserved queue name": ("enqueue", "a:pending:b", "1"),
    "a queue name too long": ("enqueue", "x" * 201, "1"),
    "nobody to reap": ("reap",),
    "a queue without a worker": ("reap", "mail"),
    "a worker and all": ("reap", "mail", "w1", "--stale"),
    "a dry run of all": ("reap", "--stale", "--dry-run"),
    "a watch of one": ("reap", "mail", "w1", "--watch"),
    "nothing to retry": ("retry", "mail"),
    "one and all": ("retry", "mail", "a", "--all"),
    "nothing to promote": ("promote", "mail"),
    "one and all that are due": ("promote", "mail", "a", "--due"),
    "no processes": ("worker", "mail", "time:sleep", "--processes", "0"),
    "a grace that is no number": ("worker", "mail", "time:sleep", "--grace", "nan"),
    "one name for two": ("worker", "mail", "time:sleep", "--processes", "2", "--name", "w1"),
    "a port out of range": ("web", "--port", "70000"),
    "a demo's port out of range": ("demo", "--port", "0"),
    "a name with a colon": ("password", "a:b", "--stdin"),
    "no such role": ("password", "ada", "--role", "king", "--stdin"),
    "a url of something else": ("--redis-url", "http://x/", "queues"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments_are_one_sentence_and_exit_code_2(
    cli: Run, redis_client: redis.Redis, what: str
) -> None:
    ran = cli(*WRONG[what])

    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("watchkeeper: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    assert redis_client.dbsize() == 0


@pytest.mark.parametrize(
    ("handler", "options"),
    [
        ("shop.mail", ()),
        ("no_such_module_here:send", ()),
        ("json:nothing", ()),
        ("json:__doc__", ()),
        ("json:nothing", ("--name", "w1")),
    ],
)
def test_a_handler_that_cannot_be_used_is_exit_code_2_and_touches_no_job(
    shell: Run, redis_client: redis.Redis, handler: str, options: tuple[str, ...]
) -> None:
    redis_client.lpush("mail:pending", "x")

    ran = shell("worker", "mail", handler, *options, env={"WATCHKEEPER_LOG_LEVEL": "error"})

    assert (ran.code, ran.out) == (2, ""), ran
    assert ran.err.startswith("watchkeeper: The handler ")
    assert ran.err.count("\n") == 1
    assert redis_client.lrange("mail:pending", 0, -1) == [b"x"]
    assert redis_client.exists("mail:heartbeats", "mail:dead", "mail:delayed") == 0


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("WATCHKEEPER_QEUES", "mail", "did you mean WATCHKEEPER_QUEUES"),
        ("WATCHKEEPER_MAX_ATTEMPTS", "many", "WATCHKEEPER_MAX_ATTEMPTS"),
    ],
)
def test_wrong_settings_are_one_sentence_and_exit_code_2(
    cli: Run, variable: str, value: str, told: str
) -> None:
    ran = cli("queues", env={variable: value})

    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("command", NAMES)
def test_every_help_has_examples_and_says_what_each_option_does(cli: Run, command: str) -> None:
    ran = cli(command, "--help")

    assert ran.code == 0
    assert "Examples:\n  " in ran.out
    assert f"watchkeeper {command}" in ran.out.partition("Examples:")[2]


def test_the_groups_help_lists_commands_and_exit_codes(cli: Run) -> None:
    ran = cli("--help")

    assert ran.code == 0
    for word in ("demo", "janitor", "Exit codes:", "5  server away", "130  interrupted"):
        assert word in ran.out


def test_without_arguments_the_help_is_shown(cli: Run) -> None:
    assert "Usage: watchkeeper" in cli().out


def test_the_version_is_the_packages(cli: Run) -> None:
    assert cli("--version").out == "watchkeeper, version 0.1.0\n"
