"""Beats: what they write, and when they are held back."""

from __future__ import annotations

import json
import time

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerRefused, WrongKeyType
from dashboard.queue.heartbeat import BeatThread, Heartbeat
from dashboard.queue.preflight import check_server
from dashboard.queue.scripts import Scripts
from dashboard.queue.slot import Slot
from tests.queue.running import POLICY, Client, Q, workers
from tests.support.keyspace import snapshot
from tests.support.processes import wait_until


def test_a_beat_writes_whole_server_seconds_and_who_the_worker_is(redis_client: Client) -> None:
    slot = Slot()
    slot.client_id, slot.hand_count, slot.busy_since = 17, 2, time.monotonic()
    beat = Heartbeat(Q, b"w1", slot, "embedded").beat(Scripts(redis_client))
    after = snapshot(redis_client, Q)
    assert set(after) == {"heartbeats", "workers", "policy"}
    assert after["heartbeats"] == {b"w1": b"%d" % int(beat.now)}
    record = json.loads(after["workers"][b"i:w1"])
    assert (record["client_id"], record["process"]) == (17, "embedded")
    assert after["workers"][b"k:w1"].decode() == record["token"]
    assert json.loads(after["workers"][b"b:w1"])["jobs"] == 2
    assert (slot.listed_count, abs(slot.server_time(time.monotonic()) - beat.now) < 1) == (0, True)


def test_the_start_is_told_with_the_second_beat_and_stays(redis_client: Client) -> None:
    heartbeat = Heartbeat(Q, b"w1", Slot(), "supervised")
    first = heartbeat.beat(Scripts(redis_client))
    heartbeat.beat(Scripts(redis_client, now=first.now + 60))
    assert json.loads(redis_client.hget(Q.workers, "i:w1"))["started_at"] == first.now


def test_a_beat_that_is_refused_is_not_noted(redis_client: Client) -> None:
    redis_client.set(Q.heartbeats, "mine")
    slot = Slot()
    with pytest.raises(WrongKeyType):
        Heartbeat(Q, b"w1", slot, "embedded").beat(Scripts(redis_client))
    assert slot.beat_at == 0


def test_S21_the_thread_beats_and_is_silent_while_the_loop_is_wedged(
    redis_url: str, redis_client: Client
) -> None:
    slot = Slot()
    slot.pulse_at = time.monotonic()
    beats = BeatThread(Heartbeat(Q, b"w1", slot, "embedded"), Connections.from_url(redis_url), POLICY)
    beats.start()
    try:
        wait_until(lambda: workers(redis_client), 5, "it beats")
        last = wait_until(
            lambda: slot.is_wedged(time.monotonic(), 3) and slot.beat_at, 10, "the loop has been silent"
        )
        ends_at = time.monotonic() + 1.5
        wait_until(lambda: time.monotonic() > ends_at, 5, "a beat would have come")
        assert slot.beat_at == last
        slot.pulse_at = time.monotonic()
        wait_until(lambda: slot.beat_at != last, 5, "it beats again")
    finally:
        beats.stop()


def test_a_server_that_is_too_old_is_refused_in_one_sentence(
    redis_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_server(redis_client)[0].isdigit()
    monkeypatch.setattr("dashboard.queue.preflight.OLDEST_VERSION", (99, 0))
    with pytest.raises(ServerRefused, match=r"is too old: 6\.2 or newer is needed\. No job was touched"):
        check_server(redis_client)
