"""The command line as a shell runs it: exit codes, both outputs, pipes that close."""

from __future__ import annotations

import subprocess
import sys

import redis

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import job
from tests.support.processes import ROOT, environment

BY_THE_PACKAGE = "from dashboard.cli.main import main; main()"


def test_a_process_ends_with_the_codes_of_its_command(shell: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4))

    assert shell("retry", "mail", "a", "--json").json()["moved_count"] == 1
    wrong, missing = shell("retry", "mail"), shell("retry", "mail", "zzz")

    assert (wrong.code, wrong.out, wrong.err.count("\n")) == (2, "", 1)
    assert (missing.code, missing.out, missing.err.count("\n")) == (3, "", 1)


def test_bytes_of_a_shell_name_a_queue(shell: Run, redis_client: redis.Redis) -> None:
    assert shell("enqueue", b"caf\xe9", "1").code == 0

    assert redis_client.llen(b"caf\xe9:pending") == 1


def test_a_reader_that_has_enough_is_no_fault(redis_client: redis.Redis, redis_url: str) -> None:
    redis_client.lpush("mail:dead", *(job(number, 4, error="x" * 400) for number in range(500)))

    with subprocess.Popen(
        [sys.executable, "-c", BY_THE_PACKAGE, "jobs", "mail", "dead", "--limit", "500", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment({"REDIS_URL": redis_url}),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(30) == 0

    assert said == ""


def test_a_terminal_that_knows_ascii_only_gets_escapes_and_no_traceback(
    shell: Run, redis_client: redis.Redis
) -> None:
    redis_client.lpush("zażółć:dead", job("ä", 4, error="naïve"))

    ran = shell("jobs", "zażółć", "dead", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C.UTF-8"})

    assert ran.code == 0, ran
    assert "Traceback" not in ran.err
