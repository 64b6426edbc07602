"""The sampler: what a janitor writes down each ten seconds, and that it stands in nobody's way."""

from __future__ import annotations

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.janitor import Janitor
from dashboard.queue.sampler import Sampler
from dashboard.queue.watching import Look, WatchBook
from tests.queue.running import Client, Q, ids, pending, push
from tests.queue.test_reaper import PATIENT, hold, let_die, now_of
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer

DUE = '{"id":"due","payload":null,"attempts":0}'


def samples(client: Client) -> list[dict[str, str]]:
    """The fields of all samples, oldest first."""
    return [
        {name.decode(): value.decode() for name, value in fields.items()}
        for _, fields in client.xrange(Q.samples)
    ]


def look_at(client: Client, now: float | None = None) -> Look:
    look = WatchBook(client, Q).take_look(PATIENT)
    return look if now is None else Look(now, look.workers)


def test_a_sample_counts_workers_by_state_and_what_all_of_them_hold(each_client: Client) -> None:
    push(each_client, "waits")
    for name, silence in ((b"alive", 0), (b"late", 20), (b"silent", 40)):
        hold(each_client, name, f"{name!r} 1", f"{name!r} 2")
        each_client.hset(Q.heartbeats, name, b"%d" % (now_of(each_client) - silence))
    hold(each_client, b"stale", "5")
    let_die(each_client, b"stale")
    let_die(each_client, b"gone")
    each_client.set(Q.processing(b"gone"), "not a list")
    assert Sampler(each_client, Q).step(look_at(each_client), PATIENT) == 3
    (sample,) = samples(each_client)
    figures = {name: sample[name] for name in ("held", "alive", "late", "silent", "stale", "pending")}
    assert figures == {"held": "7", "alive": "1", "late": "1", "silent": "1", "stale": "1", "pending": "1"}


def test_a_bucket_is_asked_for_once_and_the_next_one_again(each_client: Client) -> None:
    one, other = Sampler(each_client, Q), Sampler(each_client, Q)
    assert one.step(look_at(each_client, 1_000_000.0), PATIENT) == 3
    each_client.config_resetstat()
    assert one.step(look_at(each_client, 1_000_009.0), PATIENT) == 0
    assert "cmdstat_evalsha" not in each_client.info("commandstats"), "it knows its own bucket"
    assert other.step(look_at(each_client, 1_000_009.0), PATIENT) == 0, "it does not, and the server does"
    assert len(samples(each_client)) == 1


def test_a_janitor_samples_the_queues_that_it_serves_and_no_found_one(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "1")
    redis_client.rpush("found:pending", "1")
    keeper = Janitor(Connections.from_url(redis_url), queues=[b"q"], defaults=PATIENT)
    assert keeper.tick().trouble_count == 0
    assert [sample["pending"] for sample in samples(redis_client)] == ["1"]
    assert sorted(redis_client.keys("*samples*")) == [b"q:samples", b"q:samples:60", b"q:samples:900"]


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_a_full_memory_leaves_a_gap_and_nobody_hears_of_it(kind: Kind) -> None:
    with ValkeyServer(kind) as server, server.client() as client:
        hold(client, b"w1", "1")
        client.zadd(Q.delayed, {DUE: 1})
        let_die(client, b"w1")
        keeper = Janitor(Connections.from_url(server.url), queues=[b"q"], defaults=PATIENT)
        keeper._shards.look(0.0)  # it has known this server for long
        client.config_set("maxmemory", 1)
        ticked = keeper.tick()
        assert (ticked.moved_count, ticked.promoted_count, ticked.trouble_count) == (1, 1, 0)
        assert ids(pending(client)) == ["1", "due"]
        assert not client.exists(Q.samples)
        client.config_set("maxmemory", 0)

        def has_sampled() -> bool:
            assert keeper.tick().trouble_count == 0
            return bool(samples(client))

        wait_until(has_sampled, 15, "the next bucket has its sample", every_seconds=0.5)
        assert [sample["pending"] for sample in samples(client)] == ["2"]


def test_samples_of_another_type_are_a_trouble_of_their_own_and_reaping_goes_on(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.set(Q.samples, "mine")
    redis_client.zadd(Q.delayed, {DUE: 1})
    keeper = Janitor(Connections.from_url(redis_url), queues=[b"q"], defaults=PATIENT)
    ticked = keeper.tick()
    assert (ticked.promoted_count, ticked.trouble_count) == (1, 1)
    assert redis_client.get(Q.samples) == b"mine"
