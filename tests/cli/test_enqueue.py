"""`watchkeeper enqueue`: one job, many jobs, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.cli.conftest import Run


def pending(client: redis.Redis, queue: bytes) -> list[Any]:
    """The jobs of a queue, next to run first."""
    raws: Any = client.lrange(queue + b":pending", 0, -1)
    return [json.loads(raw) for raw in reversed(raws)]


def test_one_payload_becomes_one_pending_job_and_its_id_is_printed(
    cli: Run, redis_client: redis.Redis
) -> None:
    ran = cli("enqueue", "mail", '{"to": ["ä", 12345678901234567890]}')

    assert (ran.code, ran.err) == (0, "")
    (job,) = pending(redis_client, b"mail")
    assert job["id"] == ran.out.strip()
    assert job["payload"] == {"to": ["ä", 12345678901234567890]}
    assert job["attempts"] == 0
    assert redis_client.exists("mail:delayed", "mail:dead") == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(("1e999",), "1e999 is too large a number"), (("1", "--in", "nan"), "nan is not a number of seconds")],
)
def test_numbers_that_are_none_are_refused(
    cli: Run, redis_client: redis.Redis, arguments: tuple[str, ...], says: str
) -> None:
    ran = cli("enqueue", "mail", *arguments)

    assert ran.code == 2
    assert says in ran.err
    assert redis_client.exists("mail:pending", "mail:delayed") == 0


def test_id_and_name_are_kept(cli: Run, redis_client: redis.Redis) -> None:
    ran = cli("enqueue", "mail", "null", "--id", "m-1", "--name", "welcome", "--json")

    assert ran.json() == {"queue": "mail", "id": "m-1", "count": 1}
    (job,) = pending(redis_client, b"mail")
    assert (job["id"], job["name"], job["payload"]) == ("m-1", "welcome", None)


def test_a_delayed_job_is_due_by_the_servers_clock(cli: Run, redis_client: redis.Redis) -> None:
    before = redis_client.time()[0]

    ran = cli("enqueue", "mail", "1", "--in", "300")

    assert ran.code == 0
    assert redis_client.llen("mail:pending") == 0
    members: Any = redis_client.zrange("mail:delayed", 0, -1, withscores=True)
    ((raw, due),) = members
    assert json.loads(raw)["id"] == ran.out.strip()
    assert before + 299 <= due <= redis_client.time()[0] + 301


@pytest.mark.parametrize(
    "name", [b"caf\xe9", b"a b/c?d#e", b"-", "zażółć".encode(), b"\x1b[31m", b"x\xffy\n"]
)
def test_any_bytes_that_a_shell_can_pass_name_a_queue(
    cli: Run, redis_client: redis.Redis, name: bytes
) -> None:
    ran = cli("enqueue", "--", name, "1")

    assert ran.code == 0, ran
    assert redis_client.llen(name + b":pending") == 1


def test_under_a_dedup_key_the_second_stores_nothing_prints_the_first_id_and_says_so(
    cli: Run, redis_client: redis.Redis
) -> None:
    first = cli("enqueue", "mail", "1", "--dedup", "order:7")
    again = cli("enqueue", "mail", "1", "--dedup", "order:7", "--in", "60", "--id", "mine")
    as_json = cli("enqueue", "mail", "1", "--dedup", "order:7", "--json")
    other = cli("enqueue", "mail", "2", "--dedup", b"\xff", "--dedup-for", "2d", "--id", "b", "--json")

    assert (first.code, first.err) == (0, "")
    assert (again.code, again.out) == (0, first.out)
    assert again.err == "Nothing was stored: that job was enqueued under the same key before.\n"
    assert as_json.json() == {"queue": "mail", "id": first.out.strip(), "count": 0}
    assert other.json() == {"queue": "mail", "id": "b", "count": 1}
    assert [job["payload"] for job in pending(redis_client, b"mail")] == [1, 2]
    assert redis_client.exists("mail:delayed") == 0
    assert 3500 < int(redis_client.ttl("mail:dedup:order%3A7")) <= 3600
    assert 172_700 < int(redis_client.ttl(b"mail:dedup:\xff")) <= 172_800


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("1", "--dedup-for", "1h"), "--dedup-for needs --dedup"),
        (("1", "--dedup", "k", "--dedup-for", "1w"), "1w is no time such as 90, 15m, 1h or 2d"),
        (("1", "--dedup", "k", "--dedup-for", "nan"), "nan is not a number of seconds"),
        (("1", "--dedup", "k", "--dedup-for", "500d"), "is not in the range"),
        (("1", "--dedup", ""), "must not be empty"),
        (("--from", "-", "--dedup", "k"), "belong to one PAYLOAD"),
    ],
)
def test_a_dedup_key_that_cannot_be_is_refused_and_nothing_is_stored(
    cli: Run, redis_client: redis.Redis, arguments: tuple[str, ...], says: str
) -> None:
    ran = cli("enqueue", "mail", *arguments)

    assert ran.code == 2
    assert says in ran.err
    assert redis_client.dbsize() == 0


@pytest.mark.parametrize("by", ["file", "pipe"])
def test_a_file_of_json_lines_is_enqueued_in_order_with_a_progress_bar(
    cli: Run, redis_client: redis.Redis, tmp_path: Path, by: str
) -> None:
    lines = b"".join(b'{"n": %d}\n' % number for number in range(250)) + b"\n   \n"
    source = tmp_path / "payloads"
    source.write_bytes(lines)

    if by == "file":
        ran = cli("enqueue", "mail", "--from", str(source))
    else:
        ran = cli("enqueue", "mail", "--from", "-", stdin=lines)

    assert (ran.code, ran.out) == (0, "Enqueued 250 jobs into mail.\n")
    assert "Enqueueing into mail" in ran.err
    assert [job["payload"]["n"] for job in pending(redis_client, b"mail")] == list(range(250))


def test_a_wrong_line_ends_the_command_and_says_how_many_went_in(cli: Run, redis_client: redis.Redis) -> None:
    lines = b"1\n" * 150 + b"{oops\n" + b"2\n" * 10

    ran = cli("enqueue", "mail", "--from", "-", stdin=lines)

    assert (ran.code, ran.out) == (2, "")
    assert "Line 151 is no JSON" in ran.err
    assert "100 jobs went in before that" in ran.err
    assert redis_client.llen("mail:pending") == 100


def test_a_job_that_is_too_large_is_refused_before_anything_is_stored(
    cli: Run, redis_client: redis.Redis
) -> None:
    ran = cli("enqueue", "mail", "--from", "-", stdin=json.dumps("x" * 1_200_000).encode())

    assert (ran.code, ran.out) == (4, "")
    assert "limit" in ran.err
    assert redis_client.dbsize() == 0


def test_a_key_of_another_type_is_refused_and_left_as_it_is(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.set("mail:pending", "mine")

    ran = cli("enqueue", "mail", "1")

    assert (ran.code, ran.out) == (4, "")
    assert "mail:pending is a string in Redis, not a list" in ran.err
    assert ran.err.count("\n") == 1
    assert redis_client.get("mail:pending") == b"mine"
