"""How heartbeats are judged: what tells the time, what is watched, and which state follows."""

from __future__ import annotations

import pytest

from dashboard.queue.liveness import Liveness, State, Watch, judge, look, told_at
from dashboard.queue.policy import Policy

NOW = 1_800_000_000.0
POLICY = Policy(stale_after_seconds=30, beat_seconds=5)


def value(age_seconds: float) -> bytes:
    return b"%d" % (NOW - age_seconds)


def watched(beat: bytes, unchanged_seconds: float, *, changed: bool = True) -> Watch:
    return Watch(NOW - unchanged_seconds, NOW - 1, beat, changed)


@pytest.mark.parametrize(
    ("beat", "tells"),
    [
        (b"1800000000", True),
        (b"1799999999.25", True),
        (b"1800000005", True),
        (b"1800000006", False),
        (b"1800000000000", False),
        (b"1_800_000_000", False),
        (b"nan", False),
        (b"inf", False),
        (b"0", True),
        (b"-5", False),
        (b"", False),
        (b"alive", False),
        (b"\xff\x00", False),
    ],
)
def test_only_a_plain_finite_number_that_is_not_far_ahead_tells_the_time(beat: bytes, tells: bool) -> None:
    assert (told_at(beat, NOW) is not None) == tells


@pytest.mark.parametrize(
    ("age", "unchanged", "held", "state"),
    [
        (0, 0, 0, State.ALIVE),
        (14, 14, 1, State.ALIVE),
        (16, 16, 1, State.LATE),
        (30, 29, 1, State.LATE),
        (31, 29, 1, State.SILENT),
        (3600, 5, 0, State.SILENT),
        (31, 31, 1, State.STALE),
        (31, 31, 0, State.GONE),
    ],
)
def test_a_worker_turns_late_then_silent_then_stale_or_gone(
    age: float, unchanged: float, held: int, state: State
) -> None:
    beat = value(age)
    liveness = judge(beat, watched(beat, unchanged, changed=False), NOW, POLICY, held)
    assert (liveness.state, liveness.age_seconds) == (state, age)


def test_an_old_heartbeat_that_nobody_has_watched_is_silent_and_not_stale() -> None:
    assert judge(value(3600), None, NOW, POLICY, 5).state is State.SILENT


def test_a_list_without_a_heartbeat_is_an_orphan_and_nothing_at_all_is_stopped() -> None:
    assert judge(None, None, NOW, POLICY, 1).state is State.ORPHAN
    assert judge(None, None, NOW, POLICY, 0).state is State.STOPPED


@pytest.mark.parametrize("beat", [b"1800000000000", b"1800003600", b"nan", b"hello", b""])
def test_a_heartbeat_that_tells_nothing_ages_from_when_it_was_first_seen(beat: bytes) -> None:
    ages = {seconds: judge(beat, watched(beat, seconds), NOW, POLICY, 1) for seconds in (1, 16, 31)}
    assert [one.state for one in ages.values()] == [State.ALIVE, State.LATE, State.STALE]
    assert [one.age_seconds for one in ages.values()] == [1, 16, 31]
    assert all(one.flags <= {"skew", "unreadable"} and one.flags for one in ages.values())


def test_a_clock_an_hour_behind_that_keeps_changing_is_alive_and_flagged() -> None:
    beat = value(3600)
    liveness = judge(beat, watched(beat, 4), NOW, POLICY, 2)
    assert liveness == Liveness(State.ALIVE, 4.0, frozenset({"slow-clock"}))


def test_a_slow_clock_that_stops_changing_turns_stale_all_the_same() -> None:
    beat = value(3600)
    assert judge(beat, watched(beat, 31), NOW, POLICY, 2).state is State.STALE


def test_a_beat_newer_than_the_watch_of_a_slow_clock_counts_as_a_change() -> None:
    liveness = judge(value(3595), watched(value(3600), 5), NOW, POLICY, 2)
    assert liveness == Liveness(State.ALIVE, 0.0, frozenset({"slow-clock"}))


@pytest.mark.parametrize("stored", [True, False])
def test_a_value_that_went_back_is_no_beat_so_its_age_is_what_it_says(stored: bool) -> None:
    before, beat = watched(value(2), 2), value(3600)
    after = look(before, beat, NOW, POLICY)
    assert after == Watch(NOW, NOW, beat, changed=False)
    liveness = judge(beat, after if stored else before, NOW, POLICY, 1)
    assert liveness == Liveness(State.SILENT, 3600.0)
    forward = look(after, value(3595), NOW, POLICY)
    assert judge(value(3595), forward, NOW, POLICY, 1).state is State.ALIVE, "the next beat of a slow clock"


def test_a_first_look_begins_a_watch_and_says_nothing_of_a_change() -> None:
    assert look(None, b"5", NOW, POLICY) == Watch(NOW, NOW, b"5", changed=False)


def test_a_look_that_finds_the_same_value_keeps_the_first_instant() -> None:
    before = Watch(NOW - 20, NOW - 1, b"5")
    assert look(before, b"5", NOW, POLICY) == Watch(NOW - 20, NOW, b"5")


def test_a_look_that_finds_another_value_notes_the_change() -> None:
    assert look(Watch(NOW - 20, NOW - 1, b"5"), b"6", NOW, POLICY) == Watch(NOW, NOW, b"6", changed=True)


@pytest.mark.parametrize("last_seen", [NOW - 31, NOW + 2])
def test_a_watch_that_nobody_kept_up_begins_anew(last_seen: float) -> None:
    assert look(Watch(NOW - 500, last_seen, b"5"), b"5", NOW, POLICY) == Watch(NOW, NOW, b"5")


def test_a_last_look_that_was_rounded_up_to_just_after_now_is_one_like_others() -> None:
    before = Watch(NOW - 20, NOW + 0.0005, b"5")
    assert look(before, b"5", NOW, POLICY) == Watch(NOW - 20, NOW, b"5")


@pytest.mark.parametrize("beat", [b"1800000000", b"two words", b"", b"\xff \x00 \n"])
@pytest.mark.parametrize("changed", [True, False])
def test_a_watch_is_read_back_as_it_was_stored(beat: bytes, changed: bool) -> None:
    watch = Watch(NOW - 1.5, NOW, beat, changed)
    assert Watch.parse(watch.to_bytes()) == watch


@pytest.mark.parametrize("stored", [None, b"", b"1 2", b"x y z", b"nan 1 z", b"1 inf z"])
def test_a_stored_watch_that_makes_no_sense_is_none(stored: bytes | None) -> None:
    assert Watch.parse(stored) is None
