"""The reaper's sweep: what it watches, what it gives back and in which order, and what it leaves alone."""

from __future__ import annotations

import time

import pytest

from dashboard.queue.liveness import Watch
from dashboard.queue.policy import Policy
from dashboard.queue.reaper import Reaper, Swept
from dashboard.queue.scripts import Scripts
from tests.queue.running import POLICY, Client, Q, attempts, held, ids, pending, push
from tests.support.keyspace import snapshot
from tests.support.processes import wait_until


def now_of(client: Client) -> float:
    seconds, microseconds = client.time()
    return float(seconds) + float(microseconds) / 1e6


def hold(client: Client, worker: bytes, *names: str, tries: int = 0) -> None:
    """Let `worker` hold jobs, the first claimed first."""
    push(client, *names, attempts=tries)
    for _ in names:
        client.lmove(Q.pending, Q.processing(worker), "RIGHT", "LEFT")


def let_die(client: Client, worker: bytes, *, silent_seconds: float = 100) -> bytes:
    """Give `worker` a heartbeat that is old and has been watched unchanged for as long."""
    now = now_of(client)
    value = b"%d" % (now - silent_seconds)
    client.hset(Q.heartbeats, worker, value)
    client.hset(Q.watch, worker, Watch(now - silent_seconds, now, value).to_bytes())
    return value


PATIENT = Policy(stale_after_seconds=30, beat_seconds=5)
"""For tests that lay a watch down as if it had been kept: one that no pause of the machine makes too old."""


@pytest.fixture
def reaper(redis_client: Client) -> Reaper:
    return Reaper(redis_client, Q, POLICY)


@pytest.fixture
def patient(redis_client: Client) -> Reaper:
    return Reaper(redis_client, Q, PATIENT)


def test_a_dead_workers_jobs_go_back_oldest_first_before_what_waits_with_one_attempt_more(
    patient: Reaper, redis_client: Client
) -> None:
    hold(redis_client, b"w1", "1", "2", "3")
    push(redis_client, "4")
    let_die(redis_client, b"w1")
    assert patient.sweep(PATIENT) == Swept(moved_count=3, reaped_count=1)
    assert ids(pending(redis_client)) == ["1", "2", "3", "4"]
    assert attempts(pending(redis_client)) == [1, 1, 1, 0]
    after = snapshot(redis_client, Q)
    assert set(after) == {"pending", "stats", "events", "workers"}
    assert after["workers"][b"t:w1"]["state"] == "reaped"


def test_a_job_over_its_attempts_goes_to_dead(patient: Reaper, redis_client: Client) -> None:
    hold(redis_client, b"w1", "1", tries=3)
    let_die(redis_client, b"w1")
    assert patient.sweep(PATIENT) == Swept(dead_count=1, reaped_count=1)
    assert attempts(redis_client.lrange(Q.dead, 0, -1)) == [4]


def test_an_old_heartbeat_is_watched_for_the_threshold_before_anything_moves(
    reaper: Reaper, redis_client: Client
) -> None:
    hold(redis_client, b"w1", "1")
    redis_client.hset(Q.heartbeats, b"w1", b"%d" % (now_of(redis_client) - 3600))
    before, began = held(redis_client), time.monotonic()
    assert reaper.sweep(POLICY) == Swept()
    assert held(redis_client) == before
    wait_until(lambda: reaper.sweep(POLICY).moved_count, 6, "the job is given back", every_seconds=0.2)
    assert time.monotonic() - began >= POLICY.stale_after_seconds
    assert attempts(pending(redis_client)) == [1]


@pytest.mark.parametrize("value", [b"1800000000000", b"nan", b"garbage", b"9999999999"])
def test_S32_a_heartbeat_that_tells_nothing_is_reaped_after_it_was_watched_and_not_before(
    patient: Reaper, redis_client: Client, value: bytes
) -> None:
    hold(redis_client, b"w1", "1")
    redis_client.hset(Q.heartbeats, b"w1", value)
    assert patient.sweep(PATIENT) == Swept()
    now = now_of(redis_client)
    redis_client.hset(Q.watch, b"w1", Watch(now - 100, now, value).to_bytes())
    assert Reaper(redis_client, Q, PATIENT).sweep(PATIENT) == Swept(moved_count=1, reaped_count=1)


def test_S32_a_clock_an_hour_behind_that_keeps_beating_is_never_reaped(
    reaper: Reaper, redis_client: Client
) -> None:
    hold(redis_client, b"w1", "1")
    before = held(redis_client)
    ends_at = time.monotonic() + POLICY.stale_after_seconds + 1

    def beats_on() -> bool:
        redis_client.hset(Q.heartbeats, b"w1", b"%.3f" % (now_of(redis_client) - 3600))
        assert reaper.sweep(POLICY) == Swept()
        return time.monotonic() > ends_at

    wait_until(beats_on, 10, "longer than the threshold has passed", every_seconds=0.3)
    assert held(redis_client) == before


def test_a_manual_queue_is_watched_and_nothing_is_reaped(patient: Reaper, redis_client: Client) -> None:
    manual = Policy(reaping="manual")
    hold(redis_client, b"w1", "1")
    let_die(redis_client, b"w1")
    redis_client.hset(Q.heartbeats, b"w2", b"5")
    before = held(redis_client)
    assert patient.sweep(manual, [b"ghost"]) == Swept()
    assert held(redis_client) == before
    assert redis_client.hkeys(Q.heartbeats) == [b"w1", b"w2"]
    assert set(redis_client.hkeys(Q.watch)) == {b"w1", b"w2"}


def test_a_worker_that_is_gone_stays_listed_for_a_day(patient: Reaper, redis_client: Client) -> None:
    let_die(redis_client, b"new", silent_seconds=60)
    let_die(redis_client, b"old", silent_seconds=90_000)
    patient.sweep(PATIENT)
    assert redis_client.hkeys(Q.heartbeats) == [b"new"]
    assert redis_client.hkeys(Q.watch) == [b"new"]


def test_the_watch_of_a_worker_without_heartbeat_is_forgotten(reaper: Reaper, redis_client: Client) -> None:
    redis_client.hset(Q.watch, b"w1", b"1 2 3")
    reaper.sweep(POLICY)
    assert not redis_client.exists(Q.watch)


def test_a_new_janitor_trusts_a_watch_that_another_has_kept_up_and_begins_one_that_nobody_has(
    redis_client: Client,
) -> None:
    hold(redis_client, b"w1", "1")
    value, now = let_die(redis_client, b"w1", silent_seconds=100), now_of(redis_client)
    redis_client.hset(Q.watch, b"w1", Watch(now - 100, now - 50, value).to_bytes())
    assert Reaper(redis_client, Q, PATIENT).sweep(PATIENT) == Swept()
    redis_client.hset(Q.watch, b"w1", Watch(now - 100, now - 1, value).to_bytes())
    assert Reaper(redis_client, Q, PATIENT).sweep(PATIENT) == Swept(moved_count=1, reaped_count=1)


def test_a_watch_begun_anew_reaps_nothing_yet(patient: Reaper, redis_client: Client) -> None:
    hold(redis_client, b"w1", "1")
    let_die(redis_client, b"w1")
    assert patient.sweep(PATIENT, anew=True) == Swept()
    assert patient.sweep(PATIENT) == Swept()


def test_one_worker_with_a_broken_key_does_not_keep_the_others_waiting(
    patient: Reaper, redis_client: Client
) -> None:
    redis_client.set(Q.processing(b"a"), "not a list")
    hold(redis_client, b"b", "1")
    for worker in (b"a", b"b"):
        let_die(redis_client, worker)
    assert patient.sweep(PATIENT, [b"c"]) == Swept(moved_count=1, reaped_count=1)
    assert redis_client.get(Q.processing(b"a")) == b"not a list"


def test_a_watch_key_of_another_type_is_left_alone_and_the_watch_is_kept_in_memory(
    reaper: Reaper, redis_client: Client
) -> None:
    redis_client.set(Q.watch, "mine")
    hold(redis_client, b"w1", "1")
    redis_client.hset(Q.heartbeats, b"w1", b"%d" % (now_of(redis_client) - 60))
    wait_until(lambda: reaper.sweep(POLICY).moved_count, 6, "the job is given back", every_seconds=0.2)
    assert redis_client.get(Q.watch) == b"mine"


class Interposed(Scripts):
    """The scripts, with something that happens between the reaper's look and its script."""

    def __init__(self, client: Client, between: object) -> None:
        super().__init__(client)
        self.between = between

    def requeue(self, *args: object, **options: object) -> object:  # type: ignore[override]
        self.between()  # type: ignore[operator]
        return super().requeue(*args, **options)  # type: ignore[arg-type]


def test_S16_an_idle_loop_that_beats_only_after_its_claim_gets_one_sweep_to_do_so(
    patient: Reaper, redis_client: Client
) -> None:
    let_die(redis_client, b"w1")
    assert patient.sweep(PATIENT) == Swept()
    hold(redis_client, b"w1", "1")
    assert patient.sweep(PATIENT) == Swept(), "it may have claimed this very moment"
    assert ids(held(redis_client)[b"w1"]) == ["1"]
    assert patient.sweep(PATIENT) == Swept(moved_count=1, reaped_count=1)
    assert attempts(pending(redis_client)) == [1]


@pytest.mark.parametrize("deed", ["beats", "acknowledges", "beats and claims"])
def test_S16_a_worker_that_stirs_between_the_look_and_the_script_keeps_what_it_holds(
    patient: Reaper, redis_client: Client, deed: str
) -> None:
    hold(redis_client, b"w1", "1")
    push(redis_client, "2")
    let_die(redis_client, b"w1")
    worker = Scripts(redis_client)
    (raw,) = held(redis_client)[b"w1"]

    def stir() -> None:
        if "beats" in deed:
            worker.beat(Q, b"w1")
        if deed == "acknowledges":
            worker.settle(Q, b"w1", 1, [raw], 0)
        if "claims" in deed:
            worker.settle(Q, b"w1", 1, [], 1)

    patient._scripts = Interposed(redis_client, stir)  # the only seam between look and script
    swept = patient.sweep(PATIENT)
    assert (swept.moved_count, swept.dead_count) == (0, 0)
    holds = ids(held(redis_client).get(b"w1", []))
    assert (holds, ids(pending(redis_client))) == {
        "beats": (["1"], ["2"]),
        "acknowledges": ([], ["2"]),
        "beats and claims": (["2", "1"], []),
    }[deed]
    assert all(count == 0 for count in attempts(pending(redis_client)))
