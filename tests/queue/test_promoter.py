"""The promoter: due jobs move in due order, the others stay."""

from __future__ import annotations

import pytest

from dashboard.queue.errors import WrongKeyType
from dashboard.queue.promoter import Promoter
from dashboard.queue.scripts import Scripts
from tests.queue.running import Client, Q, ids, pending, push
from tests.support.keyspace import snapshot

FAR = 4_000_000_000


def delay(client: Client, **dues: float) -> None:
    """Delay one job for each name."""
    for name, due in dues.items():
        client.zadd(Q.delayed, {f'{{"id":"{name}","payload":null,"attempts":0}}': due})


def test_due_jobs_go_behind_what_waits_in_due_order_and_the_others_stay(redis_client: Client) -> None:
    push(redis_client, "first")
    delay(redis_client, c=3, a=1, b=2, later=FAR)
    before = redis_client.zrange(Q.delayed, -1, -1, withscores=True)
    assert Promoter(Scripts(redis_client), Q).sweep() == 3
    assert ids(pending(redis_client)) == ["first", "a", "b", "c"]
    assert redis_client.zrange(Q.delayed, 0, -1, withscores=True) == before
    assert redis_client.hget(Q.stats, "promoted") == b"3"
    assert float(redis_client.hget(Q.stats, "promoted_at")) > 0


def test_many_due_jobs_move_in_bounded_calls(redis_client: Client) -> None:
    delay(redis_client, **{f"j{n:04}": n + 1 for n in range(1050)})
    redis_client.config_resetstat()
    assert Promoter(Scripts(redis_client), Q).sweep() == 1050
    assert ids(pending(redis_client)) == [f"j{n:04}" for n in range(1050)]
    assert redis_client.info("commandstats")["cmdstat_lpush"]["calls"] == 1050
    assert redis_client.info("commandstats")["cmdstat_evalsha"]["calls"] >= 11


def test_nothing_due_moves_nothing(redis_client: Client) -> None:
    delay(redis_client, later=FAR)
    assert Promoter(Scripts(redis_client), Q).sweep() == 0
    assert pending(redis_client) == []


def test_a_delayed_key_of_another_type_is_named_and_nothing_moves(redis_client: Client) -> None:
    redis_client.set(Q.delayed, "mine")
    with pytest.raises(WrongKeyType, match="q:delayed is a string in Redis, not a zset"):
        Promoter(Scripts(redis_client), Q).sweep()
    assert snapshot(redis_client, Q) == {"delayed": b"mine"}
