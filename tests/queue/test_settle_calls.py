"""The memory of acknowledgements: what a server that forgets is told again, and what falls out of it."""

from __future__ import annotations

from dashboard.queue import settle_calls
from dashboard.queue.settle_calls import SettleCalls
from dashboard.queue.slot import Slot

A, B, C = b"a", b"b", b"c"


def confirmed(calls: SettleCalls, *acks: bytes) -> int:
    number = calls.begin(acks)
    calls.confirm(number)
    return number


def test_numbers_grow_and_begin_above_those_of_an_earlier_instance() -> None:
    first, second = SettleCalls(Slot()), SettleCalls(Slot())
    assert first.begin([]) + 1 == first.begin([])
    assert second.number >= first.number - 2


def test_what_later_calls_acknowledged_is_what_the_server_forgot() -> None:
    calls = SettleCalls(Slot())
    first = confirmed(calls, A)
    second = confirmed(calls, B, A)
    third = confirmed(calls, C)
    assert calls.forgotten_by(third) == []
    assert calls.forgotten_by(second) == [C]
    assert calls.forgotten_by(first) == [B, A, C]
    assert calls.forgotten_by(first - 1) == [A, B, A, C]


def test_a_missing_number_proves_nothing() -> None:
    calls = SettleCalls(Slot())
    confirmed(calls, A)
    assert calls.forgotten_by(None) == []


def test_what_was_never_confirmed_is_not_remembered() -> None:
    calls = SettleCalls(Slot())
    doubtful = calls.begin([A])
    later = confirmed(calls, B)
    assert calls.forgotten_by(doubtful - 1) == [B]
    calls.confirm(doubtful)
    assert calls.forgotten_by(doubtful - 1) == [B]
    assert calls.forgotten_by(later) == []


def test_what_was_not_held_any_more_is_not_remembered() -> None:
    calls = SettleCalls(Slot())
    number = calls.begin([A, B, A])
    calls.confirm(number, lost=[0, 1])
    assert calls.forgotten_by(0) == [A]


def test_acknowledging_again_takes_the_place_of_the_calls_that_were_forgotten() -> None:
    calls = SettleCalls(Slot())
    first = confirmed(calls, A)
    confirmed(calls, B)
    again = calls.begin([B], after=first)
    assert calls.forgotten_by(first) == [B], "until it is confirmed"
    calls.confirm(again)
    assert calls.forgotten_by(first) == [B]
    assert calls.forgotten_by(0) == [A, B]


def test_what_is_dismissed_is_not_said_again() -> None:
    calls = SettleCalls(Slot())
    first = confirmed(calls, A)
    second = confirmed(calls, B)
    calls.dismiss(None)
    assert calls.forgotten_by(first) == [B]
    calls.dismiss(first)
    assert calls.forgotten_by(0) == [A]
    calls.confirm(second)
    assert calls.forgotten_by(0) == [A]


def test_the_oldest_fall_out_by_count() -> None:
    calls = SettleCalls(Slot())
    for _ in range(settle_calls.ACKS_MAX // 100):
        confirmed(calls, *[A] * 100)
    assert len(calls.forgotten_by(0)) == settle_calls.ACKS_MAX
    confirmed(calls, B)
    assert calls.forgotten_by(0) == [A] * (settle_calls.ACKS_MAX - 100) + [B]


def test_the_oldest_fall_out_by_size_and_one_that_is_too_large_is_not_remembered() -> None:
    calls = SettleCalls(Slot())
    large = b"x" * (settle_calls.BYTES_MAX // 2)
    for raw in (A, large, large):
        confirmed(calls, raw)
    assert calls.forgotten_by(0) == [large, large]
    confirmed(calls, b"x" * (settle_calls.BYTES_MAX + 1))
    assert calls.forgotten_by(0) == []
    confirmed(calls, A)
    assert calls.forgotten_by(0) == [A]
