"""`watchkeeper retry`: dead jobs go back to pending, none is lost, none doubled."""

from __future__ import annotations

import redis

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import ids, job, members


def test_one_by_its_id_runs_next_with_attempts_zero(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4), job("b", 4), job("c", 4))
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("retry", "mail", "b")

    assert (ran.code, ran.out) == (0, "Retried 1 job of mail.\n")
    assert ids(redis_client, "mail:dead") == ["a", "c"]
    assert ids(redis_client, "mail:pending") == ["b", "p"]
    assert members(redis_client, "mail:pending")[0]["attempts"] == 0


def test_an_address_names_one_of_two_equal_ids(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4, error="first"), job("a", 4, error="second"))
    rows = cli("jobs", "mail", "dead", "--json").json()["jobs"]
    (address,) = [row["address"] for row in rows if row["error"] == "first"]

    ran = cli("retry", "mail", address, "--json")

    assert ran.code == 0
    assert ran.json()["moved_count"] == 1
    assert [one["error"] for one in members(redis_client, "mail:dead")] == ["second"]
    assert [one["error"] for one in members(redis_client, "mail:pending")] == ["first"]


def test_all_go_oldest_first_behind_what_is_pending_with_a_progress_bar(
    cli: Run, redis_client: redis.Redis
) -> None:
    redis_client.lpush("mail:dead", *(job(number, 4) for number in range(1200)))
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("retry", "mail", "--all")

    assert (ran.code, ran.out) == (0, "Retried 1,200 jobs of mail.\n")
    assert "Retrying in mail" in ran.err
    assert ids(redis_client, "mail:pending") == ["p", *range(1200)]
    assert redis_client.exists("mail:dead") == 0


def test_unreadable_ones_stay_and_are_told(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4), b"\xff no job", job("b", 4))

    ran = cli("retry", "mail", "--all")

    assert ran.code == 7
    assert "Retried 2 jobs of mail." in ran.out
    assert "1 stays where it is" in ran.out
    assert redis_client.lrange("mail:dead", 0, -1) == [b"\xff no job"]
    assert ids(redis_client, "mail:pending") == ["a", "b"]


def test_an_id_that_is_elsewhere_moves_nothing_and_says_where(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4))
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("retry", "mail", "a", "p")

    assert (ran.code, ran.out) == (3, "")
    assert "p is in pending, not in dead. Nothing was moved." in ran.err
    assert ids(redis_client, "mail:dead") == ["a"]
    assert ids(redis_client, "mail:pending") == ["p"]


def test_an_id_that_nothing_has_is_not_found(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4))

    ran = cli("retry", "mail", "zzz")

    assert ran.code == 3
    assert "mail has no job with the id zzz" in ran.err


def test_an_entry_that_went_away_is_told(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4), job("b", 4))
    rows = cli("jobs", "mail", "dead", "--json").json()["jobs"]
    redis_client.lrem("mail:dead", 1, job("a", 4).decode())

    ran = cli("retry", "mail", *(row["address"] for row in rows))

    assert ran.code == 7
    assert "Retried 1 job of mail." in ran.out
    assert "1 was not there any more." in ran.out
    assert ids(redis_client, "mail:pending") == ["b"]


def test_all_of_nothing_is_done_at_once(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("retry", "mail", "--all")

    assert (ran.code, ran.out) == (0, "Retried 0 jobs of mail.\n")


def test_the_actor_is_recorded(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4))

    assert cli("retry", "mail", "a", "--as", "ada on call").code == 0

    events = redis_client.xrange("mail:events")
    assert b"ada on call" in repr(events).encode()


def test_a_queue_that_is_not_there_is_exit_code_3(cli: Run) -> None:
    ran = cli("retry", "nope", "--all")

    assert (ran.code, ran.out) == (3, "")
    assert "nope" in ran.err
