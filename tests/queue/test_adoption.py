"""Lists of jobs without a heartbeat: adopted first, given back after the threshold, unless an owner beats."""

from __future__ import annotations

import time

import pytest

from dashboard.queue.policy import Policy
from dashboard.queue.reaper import Reaper, Swept
from tests.queue.running import POLICY, Client, Q, attempts, held, ids, pending
from tests.queue.test_reaper import hold, now_of
from tests.support.processes import wait_until


@pytest.fixture
def reaper(redis_client: Client) -> Reaper:
    return Reaper(redis_client, Q, POLICY)


def test_S9_an_orphan_is_adopted_first_and_given_back_after_the_threshold(
    reaper: Reaper, redis_client: Client
) -> None:
    hold(redis_client, b"ghost", "1")
    assert reaper.sweep(POLICY, [b"ghost"]) == Swept(adopted_count=1)
    assert held(redis_client)[b"ghost"] != []
    assert redis_client.hkeys(Q.heartbeats) == [b"ghost"]
    wait_until(lambda: reaper.sweep(POLICY).moved_count, 8, "the job is given back", every_seconds=0.2)
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["1"], [1])
    assert not redis_client.exists(Q.processing(b"ghost"), Q.heartbeats)


def test_S9_an_orphan_whose_owner_beats_is_left_alone(reaper: Reaper, redis_client: Client) -> None:
    hold(redis_client, b"ghost", "1")
    before = held(redis_client)
    reaper.sweep(POLICY, [b"ghost"])
    ends_at = time.monotonic() + POLICY.stale_after_seconds + 1

    def beats_on() -> bool:
        redis_client.hset(Q.heartbeats, b"ghost", b"%d" % now_of(redis_client))
        assert reaper.sweep(POLICY, [b"ghost"]) == Swept()
        return time.monotonic() > ends_at

    wait_until(beats_on, 10, "longer than the threshold has passed", every_seconds=0.3)
    assert held(redis_client) == before


def test_an_orphan_is_not_adopted_where_the_policy_says_so(reaper: Reaper, redis_client: Client) -> None:
    hold(redis_client, b"ghost", "1")
    policy = Policy(stale_after_seconds=3, beat_seconds=1, adopt_orphans=False)
    assert reaper.sweep(policy, [b"ghost"]) == Swept()
    assert not redis_client.exists(Q.heartbeats)
