"""The janitor: which queues it serves, and that one bad queue stops no other."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.discovery import ProcessingLists
from dashboard.queue.errors import ServerAway
from dashboard.queue.janitor import Janitor
from dashboard.queue.keys import REGISTRY, TOMBSTONE, worker_field
from dashboard.queue.managed import PolicyWalk
from dashboard.queue.tombstones import Tombstones
from tests.queue.running import POLICY, Client, Q, held, ids, janitor, pending, push
from tests.queue.test_reaper import PATIENT, hold, let_die, now_of
from tests.support.keyspace import dumps, snapshot
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer

DUE = '{"id":"due","payload":null,"attempts":0}'


@pytest.fixture
def tidy(redis_url: str) -> Janitor:
    return Janitor(Connections.from_url(redis_url), queues=[b"q"], defaults=PATIENT)


def test_a_queue_of_the_settings_is_reaped_and_promoted(tidy: Janitor, redis_client: Client) -> None:
    hold(redis_client, b"w1", "1")
    let_die(redis_client, b"w1")
    redis_client.zadd(Q.delayed, {DUE: 1})
    tidy._shards.look(0.0)  # it has known this server for long
    ticked = tidy.tick()
    assert (ticked.queue_count, ticked.moved_count, ticked.promoted_count) == (1, 1, 1)
    assert ids(pending(redis_client)) == ["1", "due"]
    stats = redis_client.hgetall(Q.stats)
    assert float(stats[b"reaped_at"]) > 0
    assert float(stats[b"promoted_at"]) > 0


def test_a_registered_queue_is_served_only_while_its_policy_says_managed(
    redis_url: str, redis_client: Client
) -> None:
    keeper = Janitor(Connections.from_url(redis_url), defaults=POLICY)
    redis_client.sadd(REGISTRY, "q", "bad:pending", "")
    redis_client.zadd(Q.delayed, {DUE: 1})
    assert keeper.tick().queue_count == 0
    assert redis_client.zcard(Q.delayed) == 1
    redis_client.hset(Q.policy, "managed", "1")
    assert keeper.tick().queue_count == 1
    assert ids(pending(redis_client)) == ["due"]


def test_a_managed_queue_is_served_although_the_index_does_not_name_it(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.hset(Q.policy, mapping={"managed": "1"})
    redis_client.zadd(Q.delayed, {DUE: 1})
    redis_client.rpush(Q.processing(b"ghost"), DUE)
    redis_client.hset("found:policy", "managed", "0")
    redis_client.hset("a:pending:policy", "managed", "1")
    redis_client.set("string:policy", "managed")
    for name in ("found", "a:pending", "string"):
        redis_client.zadd(f"{name}:delayed", {DUE: 1})
    ticked = Janitor(Connections.from_url(redis_url), defaults=POLICY).tick()
    assert (ticked.queue_count, ticked.promoted_count, ticked.adopted_count) == (1, 1, 1)
    assert ids(pending(redis_client)) == ["due"]
    assert redis_client.hkeys(Q.heartbeats) == [b"ghost"]
    assert not redis_client.exists(REGISTRY)
    assert all(redis_client.zcard(f"{name}:delayed") for name in ("found", "a:pending", "string"))


def test_a_walk_over_policies_knows_each_queue_after_one_walk_and_forgets_those_that_went(
    redis_client: Client,
) -> None:
    redis_client.eval("for n = 1, 5000 do redis.call('SET', 'k' .. n, 'x') end", 0)
    names = {b"q", b"a*?[b]", b'odd "\\ \xff name'}
    for name in names:
        redis_client.hset(name + b":policy", "managed", "1")
    clock = [100.0]
    walk = PolicyWalk(redis_client, lambda: clock[0])
    steps = [set(walk.step()) for _ in range(10)]
    assert steps[-1] == names
    assert all(before <= after for before, after in pairwise(steps))
    redis_client.delete("q:policy")
    assert set(walk.step()) == names
    clock[0] += 5
    assert [set(walk.step()) for _ in range(10)][-1] == names - {b"q"}


def test_S68_lists_of_other_software_are_never_touched(redis_url: str, redis_client: Client) -> None:
    keeper = Janitor(Connections.from_url(redis_url), queues=[b"q"], defaults=POLICY)
    redis_client.rpush("x:processing:y", DUE, "not json")
    redis_client.rpush("x:pending", "theirs")
    redis_client.zadd("x:delayed", {"theirs": 1})
    redis_client.hset("x:heartbeats", "y", "1")
    redis_client.rpush("q:x:processing:y", "also theirs")
    before = dumps(redis_client)

    def has_walked_twice() -> bool:
        keeper.tick()
        return walks.count(0) >= 2

    walks: list[int] = []
    (shard,), _ = keeper._shards.look(0.0)
    step = shard.lists.step

    def counted(queues: object) -> object:
        found = step(queues)  # type: ignore[arg-type]
        walks.append(shard.lists._cursor)
        return found

    shard.lists.step = counted  # type: ignore[method-assign, assignment]
    wait_until(has_walked_twice, 10, "the keys were walked twice", every_seconds=0.1)
    after = dumps(redis_client)
    assert {key: after.get(key) for key in before} == before
    assert {key for key in after.keys() - before.keys() if not key.startswith(b"q:")} == set()


def test_S9_a_list_without_heartbeat_in_a_managed_queue_is_found_adopted_and_reaped(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.sadd(REGISTRY, "q")
    redis_client.hset(Q.policy, "managed", "1")
    hold(redis_client, b"ghost", "1")
    with janitor(redis_url):
        wait_until(lambda: redis_client.hexists(Q.heartbeats, "ghost"), 5, "the ghost is adopted")
        assert held(redis_client)
        wait_until(lambda: pending(redis_client), 3 + 4, "its job is given back")
    assert pending(redis_client) == [b'{"id": "1", "payload": {}, "attempts": 1}']
    assert not redis_client.exists(Q.processing(b"ghost"), Q.heartbeats)


def test_a_bad_queue_does_not_stop_the_passes_over_the_others(redis_url: str, redis_client: Client) -> None:
    redis_client.set("bad:heartbeats", "not a hash")
    redis_client.zadd("bad:delayed", {DUE: 1})
    redis_client.set("worse:delayed", "not a zset")
    redis_client.set("worse:policy", "not a hash")
    redis_client.zadd(Q.delayed, {DUE: 1})
    keeper = Janitor(Connections.from_url(redis_url), queues=[b"bad", b"worse", b"q"], defaults=POLICY)
    ticked = keeper.tick()
    assert (ticked.queue_count, ticked.trouble_count, ticked.promoted_count) == (3, 2, 2)
    assert ids(pending(redis_client)) == ["due"]
    assert ids(pending(redis_client, "bad")) == ["due"]


def test_an_index_of_another_type_leaves_the_queues_of_the_settings(
    tidy: Janitor, redis_client: Client
) -> None:
    redis_client.set(REGISTRY, "mine")
    assert tidy.tick().queue_count == 1


def test_who_beats_as_a_longer_threshold_let_it_is_not_reaped_under_a_shorter_one(
    tidy: Janitor, redis_client: Client
) -> None:
    redis_client.hset(Q.policy, mapping={"stale_after_seconds": 300, "beat_seconds": 90})
    hold(redis_client, b"w1", "1")
    let_die(redis_client, b"w1")
    tidy._shards.look(0.0)  # it has known this server for long
    assert tidy.tick().moved_count == 0
    redis_client.hset(Q.policy, mapping={"stale_after_seconds": 60, "beat_seconds": 5})
    assert tidy.tick().moved_count == 0
    first_seen = float(redis_client.hget(Q.watch, b"w1").split()[0])
    assert now_of(redis_client) - first_seen < 30
    assert ids(held(redis_client)[b"w1"]) == ["1"]


def test_after_an_absent_server_every_watch_begins_anew() -> None:
    with ValkeyServer() as server:
        keeper = Janitor(Connections.from_url(server.url), queues=[b"q"], defaults=POLICY)
        keeper.tick()
        server.stop()
        with pytest.raises(ServerAway):
            keeper.tick()
        server.start()
        with server.client() as client:
            hold(client, b"w1", "1")
            let_die(client, b"w1")
            before = held(client)
            assert keeper.tick().moved_count == 0
            assert keeper.tick().moved_count == 0
            assert held(client) == before
            wait_until(lambda: keeper.tick().moved_count, 6, "the job is given back", every_seconds=0.2)


def test_a_restart_of_the_server_that_nobody_saw_begins_every_watch_anew(
    tidy: Janitor, redis_client: Client
) -> None:
    (shard,), _ = tidy._shards.look(0.0)
    shard._server = "another process"
    hold(redis_client, b"w1", "1")
    let_die(redis_client, b"w1")
    assert tidy.tick().moved_count == 0


def test_a_walk_finds_processing_lists_of_the_wanted_queues_only(redis_client: Client) -> None:
    names = [b"q", b"a*?[b]", b'odd "\\ name']
    for name in names:
        redis_client.rpush(name + b":processing:w:1", "x")
    redis_client.rpush("axyb:processing:w", "x")
    redis_client.rpush("q:processing:pending", "x")
    redis_client.set("q:processing:string", "x")
    for wanted in ([name] for name in names):
        assert ProcessingLists(redis_client).step(wanted) == {wanted[0]: {b"w:1"}}
    assert ProcessingLists(redis_client).step(names) == {name: {b"w:1"} for name in names}


def test_a_walk_goes_on_where_it_stopped_and_then_rests(redis_client: Client) -> None:
    redis_client.eval("for n = 1, 5000 do redis.call('RPUSH', 'q:processing:w' .. n, 'x') end", 0)
    clock = [100.0]
    lists = ProcessingLists(redis_client, lambda: clock[0])
    found: set[bytes] = set()
    steps = 0
    while len(found) < 5000:
        step = lists.step([b"q"]).get(b"q", set())
        assert 0 < len(step) < 2500
        found |= step
        steps += 1
    assert steps >= 2
    assert lists.step([b"q"]) == {}
    clock[0] += 2
    assert lists.step([b"q"]) != {}


def test_tombstones_over_a_day_old_are_forgotten_with_what_else_is_known_of_the_worker(
    redis_client: Client,
) -> None:
    now = now_of(redis_client)
    for worker, age in ((b"old", 90_000), (b"back", 90_000), (b"new", 3_600)):
        redis_client.hset(Q.workers, worker_field(TOMBSTONE, worker), b'{"at":"%.3f"}' % (now - age))
        redis_client.hset(Q.workers, worker_field(b"i:", worker), b"{}")
    redis_client.hset(Q.workers, b"t:odd", b"not json")
    redis_client.hset(Q.workers, b"t:far", b'{"at":1%s}' % (b"0" * 400))
    redis_client.hset(Q.heartbeats, b"back", b"%d" % now)
    clock = [100.0]
    stones = Tombstones(redis_client, Q, lambda: clock[0])
    assert stones.step() == 4
    assert set(snapshot(redis_client, Q)["workers"]) == {b"i:back", b"t:new", b"i:new"}
    push(redis_client, "1")
    assert stones.step() == 0
