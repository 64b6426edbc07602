"""A job that ends its worker outright ends in dead after its allowed runs, while the others flow."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.queue.running import Client, Q, held, ids, push, ran, supervisor
from tests.support.processes import wait_until


@pytest.mark.parametrize(
    ("batch", "how"), [(1, {"exit": 3}), (10, {"signal": "SIGKILL"}), (100, {"exit": 0})]
)
def test_S63_only_the_poison_dies_and_every_other_job_runs_and_gains_one_attempt_at_most(
    redis_url: str, redis_client: Client, batch: int, how: dict[str, Any]
) -> None:
    before = [f"b{n}" for n in range(batch // 2)]
    after = [f"a{n}" for n in range(150)]
    push(redis_client, *before)
    push(redis_client, "poison", **how)
    push(redis_client, *after)
    with supervisor(redis_url, batch=batch, handler="tests.queue.handlers:perform") as process:
        wait_until(lambda: redis_client.llen(Q.dead) == 1, 30, "the poison is dead")
        wait_until(lambda: set(ran(redis_client)) == {*before, *after}, 30, "all others ran")
        wait_until(lambda: not held(redis_client), 10, "nothing is held")
        assert process.is_running()
    (dead,) = redis_client.lrange(Q.dead, 0, -1)
    assert (json.loads(dead)["id"], json.loads(dead)["attempts"]) == ("poison", 4)
    began = Counter(one.decode() for one in redis_client.lrange("began", 0, -1))
    assert began["poison"] == 4
    assert max(began[one] for one in [*before, *after]) <= 2, "only the poison's first batch runs again"
    assert not redis_client.exists(Q.pending, Q.delayed)


def test_several_poisons_in_a_row_do_not_end_the_supervisor(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "p1", "p2", "p3", exit=3)
    push(redis_client, "a", "b")
    with supervisor(redis_url) as process:
        wait_until(lambda: sorted(ran(redis_client)) == ["a", "b"], 40, "the others run")
        assert process.is_running()
    assert sorted(ids(redis_client.lrange(Q.dead, 0, -1))) == ["p1", "p2", "p3"]
