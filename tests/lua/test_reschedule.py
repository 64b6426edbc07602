"""Reschedule: one delayed job gets another due time; nothing else moves."""

import pytest
import redis

from dashboard.queue.address import Act
from dashboard.queue.answers import Code, Moved, Repeat
from dashboard.queue.errors import ServerRefused
from dashboard.queue.job import digest
from dashboard.queue.keys import QueueKeys
from dashboard.queue.scripts import Scripts
from tests.lua.conftest import Look
from tests.lua.test_promote import score_of
from tests.support.keyspace import changed, event
from tests.support.standing_queue import NOW, address, answer_of_act, furnish, job

D1, D2 = job("d1", 1), job("d2", 1)
ANN = Act("ann", "act-1")


def test_the_due_time_changes_and_the_bytes_do_not(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    seen = address(D1, "delayed", 0, score_of(client, q, D1))
    assert scripts.reschedule(q, seen, NOW + 999.5, ANN) == Moved(Code.RESCHEDULED)
    told = event("rescheduled", by="ann", jobs=digest(D1), due=repr(NOW + 999.5))
    assert look() == changed(
        before,
        {
            "delayed": [(D2, NOW + 60), (D1, NOW + 999.5)],
            "events": [*before["events"], told],
            "acts:act-1": answer_of_act("rescheduled"),
        },
    )


def test_a_second_call_is_answered_by_the_act_or_finds_another_score(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    seen = address(D1, "delayed", 0, score_of(client, q, D1))
    scripts.reschedule(q, seen, NOW + 999, ANN)
    between = look()
    repeat = Repeat(NOW, "ann", Code.RESCHEDULED, 1)
    assert scripts.reschedule(q, seen, NOW + 5, ANN) == Moved(Code.REPEATED, repeat=repeat)
    assert scripts.reschedule(q, seen, NOW + 5, Act("ann")) == Moved(Code.GONE)
    assert look() == between


def test_a_job_that_is_gone_is_not_made_anew(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    seen = address(job("never"), "delayed", 0, b"5")
    assert scripts.reschedule(q, seen, NOW, Act("ann")) == Moved(Code.GONE)
    assert look() == before


def test_a_due_time_that_is_none_is_refused_with_nothing_changed(
    scripts: Scripts, client: redis.Redis, q: QueueKeys, look: Look
) -> None:
    furnish(client)
    before = look()
    seen = address(D1, "delayed", 0, score_of(client, q, D1))
    with pytest.raises(ServerRefused):
        scripts.reschedule(q, seen, float("nan"), Act("ann"))
    assert look() == before
