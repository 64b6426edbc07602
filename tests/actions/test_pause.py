"""Pause and resume of a queue."""

from __future__ import annotations

import json

import pytest
import redis

from dashboard.actions.refusals import Refused
from dashboard.queue.answers import Code
from dashboard.queue.errors import WrongKeyType
from dashboard.queue.scripts import Scripts
from tests.actions.as_shown import MAIL, act_id, fill, job
from tests.actions.before_after import changes, everything
from tests.actions.conftest import Acting


def test_a_paused_queue_is_claimed_from_by_nobody_until_it_is_resumed(
    redis_client: redis.Redis, acting: Acting
) -> None:
    fill(redis_client, MAIL.pending, [job("A")])
    acting().pause(b"mail", act_id())
    claimed = Scripts(redis_client).claim(MAIL, b"w1", 1)
    assert (claimed.code, claimed.raws) == (Code.PAUSED, [])

    acting().resume(b"mail", act_id())
    assert Scripts(redis_client).claim(MAIL, b"w1", 1).raws == [job("A")]


def test_a_pause_is_written_down_and_nothing_else_changes(redis_client: redis.Redis, acting: Acting) -> None:
    fill(redis_client, MAIL.pending, [job("A")])
    redis_client.hset(MAIL.policy, "max_attempts", "7")
    before, act = everything(redis_client), act_id()

    outcome = acting("ann").pause(b"mail", act)

    changed = changes(before, everything(redis_client))
    assert json.loads(changed.pop(f"mail:acts:{act}"))["by"] == "ann"
    assert changed == {
        "mail:policy": {b"max_attempts": b"7", b"paused": b"1"},
        "mail:events": [{b"event": b"paused", b"by": b"ann"}],
    }
    assert (outcome.verb, outcome.queue, outcome.repeated) == ("pause", b"mail", None)


def test_a_resume_is_written_down_and_leaves_the_rest_of_the_policy(
    redis_client: redis.Redis, acting: Acting
) -> None:
    redis_client.hset(MAIL.policy, mapping={"max_attempts": "7", "paused": "1"})
    before, act = everything(redis_client), act_id()

    acting("ann").resume(b"mail", act)

    changed = changes(before, everything(redis_client))
    assert changed.pop(f"mail:acts:{act}")
    assert changed == {
        "mail:policy": {b"max_attempts": b"7"},
        "mail:events": [{b"event": b"resumed", b"by": b"ann"}],
    }


def test_an_old_form_cannot_pause_what_was_resumed_since(redis_client: redis.Redis, acting: Acting) -> None:
    act = act_id()
    acting("ann").pause(b"mail", act)
    acting("ann").resume(b"mail", act_id())
    before = everything(redis_client)

    outcome = acting("bob").pause(b"mail", act)

    assert everything(redis_client) == before
    assert outcome.repeated is not None
    assert (outcome.repeated.by, outcome.repeated.code) == ("ann", Code.PAUSED)


def test_a_policy_of_another_type_is_named_and_left_alone(redis_client: redis.Redis, acting: Acting) -> None:
    redis_client.set(MAIL.policy, "text")
    before = everything(redis_client)

    with pytest.raises(WrongKeyType, match="mail:policy"):
        acting().pause(b"mail", act_id())
    with pytest.raises(WrongKeyType, match="mail:policy"):
        acting().resume(b"mail", act_id())
    assert everything(redis_client) == before


def test_an_ambiguous_queue_is_not_paused(redis_client: redis.Redis, acting: Acting) -> None:
    with pytest.raises(Refused) as refusal:
        acting().pause(b"a:dead", act_id())
    assert refusal.value.status == 409
    assert everything(redis_client) == {}
