"""Who may do what: each act by each role."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import redis

from dashboard.actions.operator import Operator
from dashboard.actions.refusals import Refused
from dashboard.actions.roles import Role
from dashboard.queue.job import digest
from tests.actions.as_shown import MAIL, act_id, fill, job, row
from tests.actions.before_after import everything
from tests.actions.conftest import Acting

DEAD, DELAYED = job("dead"), job("delayed")

Act = Callable[[Operator, redis.Redis], object]

ACTS: dict[str, Act] = {
    "retry": lambda by, client: by.retry(b"mail", [row(client, "dead", DEAD)]),
    "retry all": lambda by, _: by.retry_all(b"mail", 1, digest(DEAD), act_id()),
    "discard": lambda by, client: by.discard(b"mail", [row(client, "dead", DEAD)]),
    "restore": lambda by, _: by.restore(b"mail", "1-1", act_id()),
    "promote": lambda by, client: by.promote(b"mail", [row(client, "delayed", DELAYED)]),
    "promote due": lambda by, _: by.promote_due(b"mail", act_id(), 10),
    "reap": lambda by, _: by.reap(b"mail", b"w1", b"1", act_id()),
    "reap stale": lambda by, _: by.reap_stale(b"mail", act_id()),
    "reap stale of all queues": lambda by, _: by.reap_stale(None, act_id()),
    "pause": lambda by, _: by.pause(b"mail", act_id()),
    "resume": lambda by, _: by.resume(b"mail", act_id()),
}


@pytest.fixture
def situation(redis_client: redis.Redis) -> redis.Redis:
    """A dead, a delayed, a discarded and a held job, and a paused queue."""
    fill(redis_client, MAIL.dead, [DEAD])
    fill(redis_client, MAIL.processing(b"w1"), [job("held")])
    fill(redis_client, MAIL.processing(b"orphan"), [job("held by nobody")])
    redis_client.hset(MAIL.heartbeats, "w1", "1")
    redis_client.zadd(MAIL.delayed, {DELAYED: 1})
    redis_client.xadd(MAIL.trash, {"raw": job("trash"), "place": "dead"}, id="1-1")
    redis_client.hset(MAIL.policy, "paused", "1")
    return redis_client


@pytest.mark.parametrize("name", ACTS)
def test_a_viewer_may_do_nothing(situation: redis.Redis, acting: Acting, name: str) -> None:
    before = everything(situation)

    with pytest.raises(Refused) as refusal:
        ACTS[name](acting("vic", Role.VIEWER), situation)

    assert refusal.value.status == 403
    assert refusal.value.reason == str(refusal.value)
    assert "needs the role operator; vic is signed in as viewer" in refusal.value.reason
    assert everything(situation) == before


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMIN])
@pytest.mark.parametrize("name", ACTS)
def test_an_operator_and_an_admin_may_do_everything(
    situation: redis.Redis, acting: Acting, name: str, role: Role
) -> None:
    before = everything(situation)

    ACTS[name](acting("olga", role), situation)

    assert everything(situation) != before


def test_roles_are_read_from_their_names() -> None:
    assert [Role(name) for name in ("viewer", "operator", "admin")] == list(Role)
    assert Role.ADMIN.covers(Role.ADMIN)
    assert not Role.OPERATOR.covers(Role.ADMIN)
