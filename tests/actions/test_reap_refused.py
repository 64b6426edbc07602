"""Reaps that are refused before anything moves."""

from __future__ import annotations

import pytest
import redis

from dashboard.actions.refusals import Refused
from dashboard.inspector.errors import QueueNotFound
from dashboard.queue.errors import WrongKeyType
from tests.actions.as_shown import MAIL, act_id, fill, job
from tests.actions.before_after import everything
from tests.actions.conftest import Acting

W1 = MAIL.processing(b"w1")


@pytest.mark.parametrize("key", [MAIL.pending, MAIL.dead, W1])
def test_a_key_of_another_type_is_named_and_nothing_moves(
    redis_client: redis.Redis, acting: Acting, key: bytes
) -> None:
    fill(redis_client, W1, [job("held")])
    seen = b"%d" % (redis_client.time()[0] - 600)
    redis_client.hset(MAIL.heartbeats, "w1", seen)
    redis_client.delete(key)
    redis_client.set(key, "text")
    before = everything(redis_client)

    with pytest.raises(WrongKeyType, match=key.decode()):
        acting().reap(b"mail", b"w1", seen, act_id())
    assert everything(redis_client) == before


def test_a_worker_of_an_unknown_queue_is_not_found(redis_client: redis.Redis, acting: Acting) -> None:
    with pytest.raises(QueueNotFound):
        acting().reap(b"nowhere", b"w1", b"1", act_id())
    assert everything(redis_client) == {}


def test_an_ambiguous_queue_is_refused(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.lpush("a:processing:b:processing:c", job("held"))
    before = everything(redis_client)

    with pytest.raises(Refused) as refusal:
        acting().reap(b"a:processing:b", b"c", None, act_id())
    assert refusal.value.status == 409
    assert everything(redis_client) == before
