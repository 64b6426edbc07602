"""The breaker: a wave of silence is waited for once, and then reaped; a few dead workers never wait."""

from __future__ import annotations

import logging
import time

import pytest

from dashboard.queue.address import Act
from dashboard.queue.answers import Code
from dashboard.queue.breaker import Breaker
from dashboard.queue.keys import HELD_BACK_COUNT, HELD_BACK_UNTIL
from dashboard.queue.liveness import Watch
from dashboard.queue.reaper import Reaper, Swept
from dashboard.queue.scripts import Scripts
from dashboard.queue.watching import Look
from tests.queue.running import POLICY, Client, Q, attempts, held, pending
from tests.queue.test_reaper import PATIENT, hold, let_die, now_of
from tests.support.keyspace import snapshot
from tests.support.processes import wait_until

T = PATIENT.stale_after_seconds
JUST_STALE, LONG_STALE, SINKING = T + 5, 2 * T + 5, T - 5


def fleet(client: Client, dead: int, alive: int, *, silent_seconds: float = JUST_STALE) -> list[bytes]:
    """Let so many workers hold a job each, the dead ones silent for so long; return the dead ones' names."""
    names = [b"dead-%d" % number for number in range(dead)]
    for name in names:
        hold(client, name, name.decode())
        let_die(client, name, silent_seconds=silent_seconds)
    for number in range(alive):
        hold(client, b"alive-%d" % number, f"alive-{number}")
        client.hset(Q.heartbeats, b"alive-%d" % number, b"%d" % now_of(client))
    return names


def stamps(client: Client) -> dict[str, float]:
    """What the queue's stats say of a wait."""
    found = client.hmget(Q.stats, HELD_BACK_UNTIL, HELD_BACK_COUNT)
    return {name: float(value) for name, value in zip(("until", "count"), found, strict=True) if value}


@pytest.fixture
def reaper(each_client: Client) -> Reaper:
    return Reaper(each_client, Q, PATIENT)


@pytest.mark.parametrize(("dead", "alive"), [(3, 0), (3, 2), (5, 4)])
def test_most_workers_that_fall_silent_together_are_waited_for_and_that_is_said(
    each_client: Client, reaper: Reaper, caplog: pytest.LogCaptureFixture, dead: int, alive: int
) -> None:
    fleet(each_client, dead, alive)
    before, began_at = held(each_client), now_of(each_client)
    assert reaper.sweep(PATIENT) == Swept()
    assert reaper.sweep(PATIENT) == Swept()
    assert held(each_client) == before
    assert not each_client.exists(Q.pending, Q.dead, Q.events)
    assert stamps(each_client)["count"] == dead
    assert began_at + T - 0.001 <= stamps(each_client)["until"] <= now_of(each_client) + T
    said = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert said == [
        f"queue q: {dead} of the {dead + alive} workers that hold jobs fell silent together. "
        "Nothing is lost; in case the network is at fault their jobs stay held for 30 s more, once."
    ]


@pytest.mark.parametrize(("dead", "alive"), [(1, 0), (2, 0), (3, 3), (3, 4), (4, 9)])
def test_few_dead_workers_or_no_more_than_half_are_reaped_at_once(
    each_client: Client, reaper: Reaper, dead: int, alive: int
) -> None:
    fleet(each_client, dead, alive)
    assert reaper.sweep(PATIENT) == Swept(moved_count=dead, reaped_count=dead)
    assert attempts(pending(each_client)) == [1] * dead
    assert len(held(each_client)) == alive
    assert stamps(each_client) == {}


def test_workers_that_hold_nothing_are_no_measure_of_a_wave(each_client: Client, reaper: Reaper) -> None:
    fleet(each_client, 3, 0)
    for number in range(10):
        each_client.hset(Q.heartbeats, b"idle-%d" % number, b"%d" % now_of(each_client))
        let_die(each_client, b"gone-%d" % number)
    assert reaper.sweep(PATIENT) == Swept()
    assert stamps(each_client)["count"] == 3


def test_the_first_of_a_wave_waits_while_the_others_are_about_to_follow_and_no_longer(
    each_client: Client, reaper: Reaper
) -> None:
    fleet(each_client, 1, 0)
    others = [b"late-1", b"late-2"]
    for name in others:
        hold(each_client, name, name.decode())
        let_die(each_client, name, silent_seconds=SINKING)
    assert reaper.sweep(PATIENT) == Swept()
    assert stamps(each_client)["count"] == 3
    for name in others:
        Scripts(each_client).beat(Q, name)
    assert reaper.sweep(PATIENT) == Swept(moved_count=1, reaped_count=1)
    assert set(held(each_client)) == set(others)
    assert stamps(each_client) == {}


def test_who_follows_those_that_were_reaped_belongs_to_their_wave(
    each_client: Client, reaper: Reaper
) -> None:
    fleet(each_client, 2, 0)
    assert reaper.sweep(PATIENT).reaped_count == 2
    hold(each_client, b"third", "third")
    let_die(each_client, b"third", silent_seconds=T + 1)
    assert reaper.sweep(PATIENT) == Swept()
    assert stamps(each_client)["count"] == 3


def test_a_janitor_that_forgets_everything_again_and_again_reaps_after_twice_the_threshold_all_the_same(
    each_client: Client,
) -> None:
    fleet(each_client, 4, 0)
    assert Reaper(each_client, Q, PATIENT).sweep(PATIENT) == Swept()
    assert Reaper(each_client, Q, PATIENT).sweep(PATIENT) == Swept()
    for number in range(4):
        let_die(each_client, b"dead-%d" % number, silent_seconds=LONG_STALE)
    assert Reaper(each_client, Q, PATIENT).sweep(PATIENT) == Swept(moved_count=4, reaped_count=4)
    assert attempts(pending(each_client)) == [1] * 4


def test_two_janitors_wait_one_threshold_together_and_then_every_job_is_given_back_once(
    each_client: Client,
) -> None:
    names = [b"dead-%d" % number for number in range(4)]
    for name in names:
        hold(each_client, name, name.decode())
        each_client.hset(Q.heartbeats, name, b"%d" % (now_of(each_client) - 60))
    limit, janitors, began = POLICY.stale_after_seconds, [Reaper(each_client, Q, POLICY)], time.monotonic()

    def all_sweep() -> bool:
        # The second one comes when the first has waited for half of its time.
        if len(janitors) == 1 and time.monotonic() - began > 1.5 * limit:
            janitors.append(Reaper(each_client, Q, POLICY))
        return sum(one.sweep(POLICY).moved_count for one in janitors) > 0

    wait_until(all_sweep, 3 * limit, "the wave is reaped", every_seconds=0.2)
    assert 2 * limit - 0.5 <= time.monotonic() - began
    assert sorted(each_client.lrange(Q.pending, 0, -1)) == [
        b'{"id": "%s", "payload": {}, "attempts": 1}' % name for name in names
    ]
    assert held(each_client) == {}
    assert set(snapshot(each_client, Q)) == {"pending", "stats", "events", "workers"}


def test_an_operator_is_not_held_up(each_client: Client, reaper: Reaper) -> None:
    first, *others = fleet(each_client, 3, 0)
    assert reaper.sweep(PATIENT) == Swept()
    value = each_client.hget(Q.heartbeats, first)
    answer = Scripts(each_client).requeue(
        Q, first, why="operator", evidence=value, defaults=PATIENT, act=Act("ann", "act-1")
    )
    assert (answer.code, answer.moved_count) == (Code.REAPED, 1)
    assert set(held(each_client)) == set(others)


def seen_at(now: float, *silences: float) -> Look:
    """A look at workers w0, w1, … that beat so many seconds ago and were watched ever since."""
    values = {b"w%d" % number: b"%d" % (now - silence) for number, silence in enumerate(silences)}
    return Look(now, {name: (value, Watch(float(value), now, value)) for name, value in values.items()})


def test_a_wave_is_waited_for_once_and_its_stragglers_not_again_until_a_threshold_has_passed_in_peace(
    each_client: Client,
) -> None:
    breaker = Breaker(each_client, Q)
    wave = {b"w%d" % number: 1 for number in range(4)}
    for name in wave:
        hold(each_client, name, name.decode())

    def spared(now: float, *silences: float) -> int:
        look = seen_at(now, *silences)
        stale = {name: 1 for name, silence in zip(look.workers, silences, strict=True) if silence > T}
        return len(breaker.spared(stale, look, PATIENT))

    now = 1_000_000.0
    assert spared(now, T + 1, T + 1, T + 1, T - 1) == 3
    assert spared(now + T - 1, 2 * T - 2, 2 * T - 1, 2 * T - 1, T + 5) == 4
    assert spared(now + T + 1, T + 1, T + 1, T + 1, T + 7) == 0, "it goes on, whoever is fresh then"
    assert stamps(each_client) == {}
    assert spared(now + 2 * T, T + 2, T + 2, T + 2, T + 2) == 0, "the silence has not ended since"
    assert spared(now + 4 * T, T + 2, T + 2, T + 2, T + 2) == 4, "a new wave, after a threshold in peace"
    assert spared(now - 9 * T, T + 2, T + 2, T + 2, T + 2) == 4, "the server's clock was set back: anew"


@pytest.mark.parametrize("kind", ["string", "list"])
def test_stats_of_another_type_change_nothing_but_the_word_of_it(
    each_client: Client, reaper: Reaper, kind: str
) -> None:
    each_client.set(Q.stats, "mine") if kind == "string" else each_client.rpush(Q.stats, "mine")
    fleet(each_client, 3, 0)
    assert reaper.sweep(PATIENT) == Swept()
    assert each_client.type(Q.stats) == kind.encode()
