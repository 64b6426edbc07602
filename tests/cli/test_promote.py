"""`watchkeeper promote`: delayed jobs go to pending."""

from __future__ import annotations

from typing import Any

import redis

from tests.cli.conftest import Run
from tests.cli.jobs_in_redis import ids, job


def delayed(client: redis.Redis) -> list[Any]:
    """Members of mail's delayed set."""
    found: list[Any] = client.zrange("mail:delayed", 0, -1)
    return found


def test_one_by_its_id_goes_to_the_front_before_its_time(cli: Run, redis_client: redis.Redis) -> None:
    later = redis_client.time()[0] + 1000
    redis_client.zadd("mail:delayed", {job("a"): later, job("repeat:ab/12:99?x#y"): later})
    redis_client.lpush("mail:pending", job("p"))

    ran = cli("promote", "mail", "repeat:ab/12:99?x#y")

    assert (ran.code, ran.out) == (0, "Promoted 1 job of mail.\n")
    assert ids(redis_client, "mail:pending") == ["repeat:ab/12:99?x#y", "p"]
    assert delayed(redis_client) == [job("a")]


def test_all_due_ones_go_in_due_order_and_the_others_stay(cli: Run, redis_client: redis.Redis) -> None:
    now = redis_client.time()[0]
    redis_client.zadd("mail:delayed", {job(number): now - 1000 + number for number in range(450)})
    redis_client.zadd("mail:delayed", {job("later"): now + 1000})

    ran = cli("promote", "mail", "--due", "--json")

    assert ran.code == 0
    assert ran.json()["moved_count"] == 450
    assert ids(redis_client, "mail:pending") == list(range(450))
    assert delayed(redis_client) == [job("later")]


def test_an_id_that_is_not_delayed_moves_nothing(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4))

    ran = cli("promote", "mail", "a")

    assert (ran.code, ran.out) == (3, "")
    assert "a is in dead, not in delayed" in ran.err
    assert ids(redis_client, "mail:dead") == ["a"]


def test_a_dead_jobs_address_is_refused(cli: Run, redis_client: redis.Redis) -> None:
    redis_client.lpush("mail:dead", job("a", 4))
    (row,) = cli("jobs", "mail", "dead", "--json").json()["jobs"]

    ran = cli("promote", "mail", row["address"])

    assert ran.code == 3
    assert ids(redis_client, "mail:dead") == ["a"]
