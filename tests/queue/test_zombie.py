"""A worker that wakes up after it was declared dead changes nothing."""

from __future__ import annotations

import pytest

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.scripts import Scripts
from tests.queue.running import POLICY, Client, Q, held, push
from tests.support.keyspace import snapshot


@pytest.mark.parametrize("heir", [b"v", b"w"])
@pytest.mark.parametrize("deed", ["acknowledges", "fails", "releases"])
def test_S14_a_zombies_deed_answers_lost_and_changes_no_job(
    redis_client: Client, heir: bytes, deed: str
) -> None:
    scripts = Scripts(redis_client)
    push(redis_client, "a")
    (raw,) = scripts.claim(Q, b"w", 1).raws
    redis_client.hset(Q.heartbeats, b"w", b"5")
    reaped = scripts.requeue(Q, b"w", why="operator", evidence=b"5", defaults=POLICY, act=Act("tester"))
    assert (reaped.code, reaped.moved_count) == (Code.REAPED, 1)
    scripts.beat(Q, heir)
    (again,) = scripts.claim(Q, heir, 1).raws
    assert again != raw
    before = snapshot(redis_client, Q)

    if deed == "acknowledges":
        assert scripts.settle(Q, b"w", 1, [raw], 0).lost == [0]
    elif deed == "fails":
        assert scripts.fail(Q, b"w", raw, raw, delay_ms=1, error="late").code is Code.LOST
    else:
        assert scripts.release(Q, b"w", [raw]).lost == [0]

    after = snapshot(redis_client, Q)
    for record in (before, after):
        # The number of the zombie's own call, and nothing else.
        record["workers"].pop(b"s:w", None)
    assert after == before
    assert held(redis_client) == {heir: [again]}
