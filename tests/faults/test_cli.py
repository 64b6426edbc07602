"""A command whose replies are lost: its exit code says so, and nothing is done twice."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from dashboard.cli.exit_codes import ExitCode
from dashboard.cli.main import run
from tests.actions.as_shown import MAIL, fill, ids, job
from tests.faults.every_reply import for_every_reply
from tests.queue.running import Client
from tests.support.proxy import Fault, Proxy

LOST = (ExitCode.SERVER_AWAY, ExitCode.OUTCOME_UNKNOWN)


def command(proxy: Proxy, *words: str) -> tuple[int, str]:
    """Run one command through the proxy; its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["--redis-url", proxy.url, *words])
    if code in LOST:
        assert proxy.lost_count == 1
        assert err.getvalue().splitlines()[-1].startswith("watchkeeper: ")
    return code, out.getvalue()


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine's environment."""
    monkeypatch.delenv("REDIS_URL", raising=False)


def test_enqueueing_says_whether_the_job_is_there(
    proxy: Proxy, redis_client: Client, cut: Fault, tmp_path: Path
) -> None:
    lines = tmp_path / "payloads.jsonl"
    lines.write_text("".join(f"{n}\n" for n in range(150)), encoding="utf-8")

    def history() -> None:
        now, _ = command(proxy, "enqueue", "mail", "1", "--id", "now")
        later, _ = command(proxy, "enqueue", "mail", "2", "--id", "later", "--in", "60")
        many, _ = command(proxy, "enqueue", "mail", "--from", str(lines))
        waiting = [json.loads(raw) for raw in redis_client.lrange(MAIL.pending, 0, -1)[::-1]]
        delayed = redis_client.zcard(MAIL.delayed)
        ones = [one for one in waiting if one["id"] == "now"]
        rest = [one["payload"] for one in waiting if one["id"] != "now"]
        assert len(ones) in {0: [1], 5: [0], 6: [0, 1]}[now]
        assert delayed in {0: [1], 5: [0], 6: [0, 1]}[later]
        assert rest == list(range(len(rest)))
        assert len(rest) in {0: [150], 5: [0, 100], 6: [0, 100, 150]}[many]

    for_every_reply(proxy, redis_client, cut, history, at_least=8)


@pytest.mark.parametrize(
    ("words", "moved"),
    [
        (["retry", "mail", "x1"], ["x1"]),
        (["retry", "mail", "--all"], ["x1", "x2", "x3"]),
        (["reap", "mail", "stale"], ["s"]),
    ],
    ids=["one", "all", "reap"],
)
def test_an_act_that_is_repeated_by_hand_moves_each_job_once(
    proxy: Proxy, redis_client: Client, cut: Fault, words: list[str], moved: list[str]
) -> None:
    def history() -> None:
        now = redis_client.time()[0]
        fill(redis_client, MAIL.dead, [job("x1"), job("x2"), job("x3")])
        redis_client.lpush(MAIL.processing(b"stale"), job("s", attempts=0))
        redis_client.hset(MAIL.heartbeats, "stale", now - 600)
        redis_client.hset(MAIL.watch, "stale", f"{now - 600} {now} {now - 600}")
        code, _ = command(proxy, *words)
        if code in LOST:
            code, _ = command(proxy, *words)
            # Where it had happened before its answer was lost, there is nothing left to move.
            assert code in (ExitCode.OK, ExitCode.NOT_FOUND, ExitCode.REFUSED)
        else:
            assert code == ExitCode.OK
        everywhere = [MAIL.pending, MAIL.dead, MAIL.processing(b"stale")]
        lists = [redis_client.lrange(key, 0, -1) for key in everywhere]
        assert sorted(map(str, ids(lists[0]))) == moved
        assert sorted(str(one) for raws in lists for one in ids(raws)) == ["s", "x1", "x2", "x3"]

    for_every_reply(proxy, redis_client, cut, history, at_least=15, may_miss=4)


def test_readers_print_the_truth_or_fail(proxy: Proxy, redis_client: Client, cut: Fault) -> None:
    def history() -> None:
        fill(redis_client, MAIL.dead, [job("x1"), job("x2")])
        fill(redis_client, MAIL.pending, [job("p1")])
        code, text = command(proxy, "jobs", "mail", "dead", "--json")
        if code == ExitCode.OK:
            assert [one["id"] for one in json.loads(text)["jobs"]] == ["x2", "x1"]
        else:
            assert code == ExitCode.SERVER_AWAY
        code, text = command(proxy, "queues", "--json")
        if code == ExitCode.OK:
            (queue,) = json.loads(text)["queues"]
            assert (queue["pending"], queue["dead"]) == (1, 2)
        else:
            assert code == ExitCode.SERVER_AWAY

    for_every_reply(proxy, redis_client, cut, history, at_least=6, may_miss=4)
