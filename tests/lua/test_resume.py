"""Resume: workers of ours claim again; the field is gone, one event where something changed."""

import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Repeat, Switched
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, W2, answer_of_act, furnish, job


def test_a_resume_removes_the_field_and_is_told(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hset(q.policy, "paused", "1")
    before = look()
    assert scripts.resume(q, Act("ann", "act-1")) == Switched(Code.RESUMED, True)
    assert look() == changed(
        before,
        {
            "policy": {b"max_attempts": b"3"},
            "events": [*before["events"], event("resumed", by="ann")],
            "acts:act-1": answer_of_act("resumed"),
        },
    )
    assert scripts.claim(q, W2, 1).raws == [job("p1")]


def test_a_queue_that_is_not_paused_is_not_told_of(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.resume(q, Act("ann")) == Switched(Code.RESUMED, False)
    assert look() == before


def test_a_repeated_act_answers_as_the_first_time_and_does_not_resume_again(
    client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    client.hset(q.policy, "paused", "1")
    Scripts(client, now=NOW).resume(q, Act("ann", "act-1"))
    Scripts(client, now=NOW + 1).pause(q, Act("ann", "act-2"))
    between = look()
    answer = Scripts(client, now=NOW + 2).resume(q, Act("bob", "act-1"))
    assert answer == Switched(Code.REPEATED, repeat=Repeat(NOW, "ann", Code.RESUMED, 1))
    assert look() == between


def test_a_queue_without_a_policy_is_left_without_one(scripts: Scripts, q: QueueKeys, look: Look) -> None:
    assert scripts.resume(q, Act("ann")) == Switched(Code.RESUMED, False)
    assert look() == {}
