"""`watchkeeper reap`: only the dead, with one attempt more; the limit decides between two lists."""

from __future__ import annotations

import redis

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import ids, job, members


def dead_worker(client: redis.Redis, name: bytes | str, *jobs: bytes) -> None:
    """A worker of mail whose heartbeat has been watched unchanged for ten minutes."""
    now = client.time()[0]
    client.hset("mail:policy", mapping={"managed": "1", "reaping": "manual"})
    client.hset("mail:heartbeats", name, str(now - 600))
    client.hset("mail:watch", name, f"{now - 590}.000 {now}.000 {now - 600}")
    client.lpush(b"mail:processing:" + (name if isinstance(name, bytes) else name.encode()), *jobs)


def test_a_stale_workers_jobs_go_back_to_the_front_with_one_attempt_more(
    cli: Run, redis_client: redis.Redis
) -> None:
    dead_worker(redis_client, "w1", job("a"), job("b", 3))
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("reap", "mail", "w1")

    assert ran.code == 0, ran
    assert "Reaped 2 jobs of mail." in ran.out
    assert "1 of them went to dead" in ran.out
    assert [(one["id"], one["attempts"]) for one in members(redis_client, "mail:pending")] == [
        ("a", 1),
        ("p", 0),
    ]
    assert [(one["id"], one["attempts"]) for one in members(redis_client, "mail:dead")] == [("b", 4)]
    assert redis_client.exists("mail:processing:w1") == 0
    assert redis_client.hexists("mail:heartbeats", "w1") is False


def test_a_dry_run_names_jobs_and_destinations_and_moves_nothing(cli: Run, redis_client: redis.Redis) -> None:
    dead_worker(redis_client, "w1", job("a"), job("b", 3))

    told = cli("reap", "mail", "w1", "--dry-run")
    document = cli("reap", "mail", "w1", "--dry-run", "--json").json()

    assert told.code == 0
    assert {one["id"]: one["destination"] for one in document["jobs"]} == {"a": "pending", "b": "dead"}
    assert document["can_reap"] is True
    for word in ("a", "pending", "b", "dead"):
        assert word in told.out
    assert ids(redis_client, "mail:processing:w1") == ["a", "b"]
    assert redis_client.exists("mail:pending", "mail:dead") == 0


def test_a_worker_that_beats_is_refused_and_keeps_its_jobs(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.hset("mail:heartbeats", "w1", redis_client.time()[0])
    redis_client.lpush("mail:processing:w1", job("a"))

    ran = cli("reap", "mail", "w1")

    assert (ran.code, ran.out) == (4, "")
    assert "w1 was not reaped" in ran.err
    assert ids(redis_client, "mail:processing:w1") == ["a"]
    assert redis_client.exists("mail:pending") == 0


def test_a_worker_that_is_not_there_is_exit_code_3(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("reap", "mail", "nobody")

    assert (ran.code, ran.out) == (3, "")
    assert "nobody" in ran.err


def test_all_stale_ones_and_orphan_lists_of_a_queue_are_reaped_and_the_living_are_not(
    cli: Run, redis_client: redis.Redis
) -> None:
    dead_worker(redis_client, "w1", job("a"))
    dead_worker(redis_client, "w2", job("b"))
    redis_client.lpush("mail:processing:orphan", job("c"))
    redis_client.hset("mail:heartbeats", "living", redis_client.time()[0])
    redis_client.lpush("mail:processing:living", job("d"))

    ran = cli("reap", "mail", "--stale", "--json")

    assert ran.code == 0, ran
    assert sorted(ids(redis_client, "mail:pending")) == ["a", "b", "c"]
    assert ids(redis_client, "mail:processing:living") == ["d"]


def test_a_name_of_any_bytes_is_reaped(cli: Run, redis_client: redis.Redis) -> None:
    name = b'box\xff "<svg>\x1b[2J'
    dead_worker(redis_client, name, job("a"))

    ran = cli("reap", "mail", name)

    assert ran.code == 0, ran
    assert ids(redis_client, "mail:pending") == ["a"]


def test_an_ambiguous_queue_is_refused(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("x:dead:pending", job("a"))
    redis_client.lpush("x:dead:processing:w1", job("b"))

    ran = cli("reap", "x:dead", "w1")

    assert (ran.code, ran.out) == (4, "")
    assert redis_client.llen("x:dead:processing:w1") == 1


def test_where_nobody_watches_stale_ones_are_named_and_watch_finds_them(
    cli: Run, redis_client: redis.Redis
) -> None:
    now = redis_client.time()[0]
    redis_client.hset("found:policy", mapping={"stale_after_seconds": "3", "beat_seconds": "1"})
    redis_client.hset("found:heartbeats", "w1", now - 600)
    redis_client.lpush("found:processing:w1", job("a"))

    at_once = cli("reap", "found", "--stale")

    assert (at_once.code, at_once.out) == (0, "Reaped 0 jobs of found.\n")
    assert "1 worker is silent and holding jobs, but not watched" in at_once.err
    assert ids(redis_client, "found:processing:w1") == ["a"]

    watched = cli("reap", "found", "--stale", "--watch")

    assert (watched.code, watched.out) == (0, "Reaped 1 job of found.\n")
    assert "Watching heartbeats" in watched.err
    assert ids(redis_client, "found:pending") == ["a"]
