"""Pause: workers of ours claim nothing more; one field of the policy, one event where something changed."""

import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Repeat, Switched
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, answer_of_act, furnish


def test_a_pause_is_written_and_told(scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look) -> None:
    furnish(client)
    before = look()
    assert scripts.pause(q, Act("ann", "act-1")) == Switched(Code.PAUSED, True)
    assert look() == changed(
        before,
        {
            "policy": before["policy"] | {b"paused": b"1"},
            "events": [*before["events"], event("paused", by="ann")],
            "acts:act-1": answer_of_act("paused"),
        },
    )


def test_a_paused_queue_is_not_told_of_again(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    scripts.pause(q, Act("ann"))
    between = look()
    assert scripts.pause(q, Act("ann")) == Switched(Code.PAUSED, False)
    assert look() == between


def test_a_repeated_act_answers_as_the_first_time_and_does_not_pause_again(
    client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    Scripts(client, now=NOW).pause(q, Act("ann", "act-1"))
    Scripts(client, now=NOW + 1).resume(q, Act("ann", "act-2"))
    between = look()
    answer = Scripts(client, now=NOW + 2).pause(q, Act("bob", "act-1"))
    assert answer == Switched(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.PAUSED, 1))
    assert look() == between


def test_a_value_that_is_not_ours_is_replaced(scripts: Scripts, client: redis.Redis, q: QueueKeys) -> None:
    client.hset(q.policy, "paused", "yes")
    assert scripts.pause(q, Act("ann")).changed is True
    assert client.hget(q.policy, "paused") == b"1"
