"""Pause and resume: one field of the policy, one event where something changed."""

from collections.abc import Callable

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Repeat, Switched
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, answer_of_act, furnish

ANN = Act("ann")


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


def test_a_resume_removes_the_field_and_is_told(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    client.hset(q.policy, "paused", "1")
    before = look()
    assert scripts.resume(q, Act("ann", "act-2")) == Switched(Code.RESUMED, True)
    assert look() == changed(
        before,
        {
            "policy": {b"max_attempts": b"3"},
            "events": [*before["events"], event("resumed", by="ann")],
            "acts:act-2": answer_of_act("resumed"),
        },
    )


def test_what_is_so_already_is_not_told_again(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    assert scripts.resume(q, ANN) == Switched(Code.RESUMED, False)
    assert look() == before
    scripts.pause(q, ANN)
    between = look()
    assert scripts.pause(q, ANN) == Switched(Code.PAUSED, False)
    assert look() == between


@pytest.mark.parametrize(
    ("switch", "code"),
    [(Scripts.pause, Code.PAUSED), (Scripts.resume, Code.RESUMED)],
    ids=["pause", "resume"],
)
def test_a_repeated_act_answers_as_the_first_time(
    client: redis.Redis, q: QueueKeys, look: Look, switch: Callable[..., Switched], code: Code
) -> None:
    client.hset(q.policy, mapping={"managed": "1", "paused": "0"})
    switch(Scripts(client, now=NOW), q, Act("ann", "act-3"))
    client.hset(q.policy, "paused", "changed since")
    between = look()
    answer = switch(Scripts(client, now=NOW + 2), q, Act("bob", "act-3"))
    count = 1 if code is Code.PAUSED else 0
    assert answer == Switched(Code.REPEATED, repeat=Repeat(NOW, "ann", code, count))
    assert look() == between
