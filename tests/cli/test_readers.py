"""`watchkeeper queues`, `workers`, `jobs`: what stands in Redis, as a table and as JSON, without a change."""

from __future__ import annotations

import redis

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import job


def snapshot(client: redis.Redis) -> dict[bytes, bytes]:
    """Every key with its content, except what the collectors keep of their own."""
    keys = [key for key in client.scan_iter() if not key.endswith(b":watch")]
    return {key: client.dump(key) or b"" for key in sorted(keys)}


def test_queues_tells_every_depth(cli: Run, redis_client: redis.Redis) -> None:
    now = redis_client.time()[0]
    redis_client.lpush("mail:pending", job(1), job(2), job(3))
    redis_client.lpush("mail:processing:w1", job(4))
    redis_client.hset("mail:heartbeats", "w1", now)
    redis_client.zadd("mail:delayed", {job(5): now + 1000, job(6): now - 5})
    redis_client.lpush("mail:dead", job(7, 4))
    before = snapshot(redis_client)

    ran = cli("queues", "--json")
    told = cli("queues")

    (queue,) = ran.json()["queues"]
    depths = {name: queue[name] for name in ("pending", "processing", "delayed", "overdue", "dead")}
    assert depths == {"pending": 3, "processing": 1, "delayed": 2, "overdue": 1, "dead": 1}
    assert queue["workers"]["alive"] == 1
    assert queue["managed"] is False
    assert told.code == 0
    assert "found, not managed" in told.out
    assert snapshot(redis_client) == before


def test_without_queues_the_server_that_was_looked_at_is_named(cli: Run) -> None:
    ran = cli("queues")

    assert ran.code == 0
    assert ran.out.startswith("No queues at 127.0.0.1:")


def test_workers_tells_states_ages_and_jobs(cli: Run, redis_client: redis.Redis) -> None:
    now = redis_client.time()[0]
    redis_client.hset("mail:policy", "stale_after_seconds", "3000")
    redis_client.hset("mail:heartbeats", mapping={"fresh": now, "slow": now - 2000, "odd": "nan"})
    redis_client.lpush("mail:processing:lost", job("x1"))

    ran = cli("workers", "mail", "--json")
    told = cli("workers")

    states = {worker["worker"]: worker["state"] for worker in ran.json()["workers"]}
    assert (states["fresh"], states["slow"], states["lost"]) == ("alive", "late", "orphan")
    (orphan,) = cli("workers", "--state", "orphan", "--json").json()["workers"]
    assert (orphan["held_count"], orphan["first_job"], orphan["can_reap"]) == (1, "x1", True)
    for word in ("fresh", "alive", "slow", "late", "lost", "orphan", "x1"):
        assert word in told.out


def test_jobs_tells_one_page_and_how_to_go_on(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", *(job(f"d{number}", 4, error=f"E: {number}") for number in range(7)))

    first = cli("jobs", "mail", "dead", "--limit", "3", "--json").json()
    second = cli("jobs", "mail", "dead", "--limit", "3", "--from", first["following"], "--json").json()
    told = cli("jobs", "mail", "dead", "--limit", "3")

    assert [one["id"] for one in first["jobs"] + second["jobs"]] == ["d6", "d5", "d4", "d3", "d2", "d1"]
    assert first["total_count"] == 7
    assert "7 in all; go on with --from" in told.out
    assert "E: 6" in told.out


def test_one_job_is_shown_with_its_exact_numbers(cli: Run, redis_client: redis.Redis) -> None:
    raw = b'{"id":"big","payload":{"n":12345678901234567890,"f":0.1234567890123456789},"attempts":0}'
    redis_client.lpush("mail:pending", raw, job("other"))

    told = cli("jobs", "mail", "--id", "big")
    document = cli("jobs", "mail", "--id", "big", "--json").json()

    assert told.code == 0
    assert "12345678901234567890" in told.out
    assert "0.1234567890123456789" in told.out
    assert (document["place"], document["raw"]) == ("pending", raw.decode())


def test_a_job_that_is_nowhere_is_exit_code_3(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:pending", job("a"))

    ran = cli("jobs", "mail", "--id", "zz")

    assert (ran.code, ran.out) == (3, "")
    assert "mail has no job with the id zz" in ran.err


def test_a_queue_that_is_nowhere_is_exit_code_3(cli: Run) -> None:
    ran = cli("jobs", "nowhere")

    assert (ran.code, ran.out) == (3, "")
    assert "nowhere" in ran.err


def test_no_name_and_no_job_can_move_the_cursor_of_a_terminal(cli: Run, redis_client: redis.Redis) -> None:
    evil = b"\x1b[2Jq\xff\xe2\x80\xae"
    redis_client.lpush(
        evil + b":dead", b"\x1b]0;owned\x07 no json", job("\x1b[31m\n\u202e", 4, error="\x9b2J")
    )
    redis_client.hset(evil + b":heartbeats", b"\x1b[8mw", "\x1b[1m")

    for ran in (cli("queues"), cli("workers"), cli("jobs", evil, "dead"), cli("jobs", b"none" + evil)):
        for sign in ("\x1b", "\x9b", "\x07", "\u202e", "\udcff"):
            assert sign not in ran.out + ran.err
    assert r"\xff" in cli("queues").out


def test_json_tells_the_bytes_of_a_name_that_is_no_text(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush(b"caf\xe9:pending", job("a"))

    (queue,) = cli("queues", "--json").json()["queues"]

    assert bytes.fromhex(queue["queue_hex"]) == b"caf\xe9"
    assert cli("jobs", bytes.fromhex(queue["queue_hex"]), "--json").json()["total_count"] == 1


def test_wrong_key_types_and_bad_jobs_break_no_reader(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.set("mail:pending", "x")
    redis_client.lpush("mail:delayed", "x")
    redis_client.lpush("mail:dead", b"", b"[]", b"\xff\x00", b'{"attempts":"x"}', b"null", b"x" * 1_000_000)
    redis_client.set("mail:heartbeats", "x")

    assert cli("queues").code == 0
    assert cli("workers").code == 0
    assert "mail:pending is not a list" in cli("jobs", "mail").out
    rows = cli("jobs", "mail", "dead", "--json").json()["jobs"]
    assert len(rows) == 6
    assert cli("jobs", "mail", "dead").code == 0
