"""The checker of histories catches each planted fault, and finds none in a sound history."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.chaos.checker import Rules, check, digest_of
from tests.chaos.history import History, parse
from tests.chaos.remains import Event, Remains

RULES = Rules(stale_after_seconds=3.0, max_attempts=3)
W, V = b"host:7:aa", b"host:8:bb"


def raw(job_id: str, attempts: int) -> bytes:
    return json.dumps({"id": job_id, "attempts": attempts}).encode()


def digest(job_id: str, attempts: int) -> str:
    return digest_of(raw(job_id, attempts))


def start(at: float, pid: int, job_id: str, attempt: int = 0) -> str:
    return f"start {at} {pid} {job_id} {attempt} {digest(job_id, attempt)}"


def end(at: float, pid: int, job_id: str, attempt: int = 0, how: str = "done") -> str:
    return f"end {at} {pid} {job_id} {attempt} {how}"


def stored(*ids: str) -> list[str]:
    return [line for one in ids for line in (f"asked 0.1 5 {one}", f"stored 0.2 5 {one}")]


def reaped(at: float, worker: bytes, job_id: str, attempt: int, why: str = "stale") -> Event:
    return Event(at, "reaped", worker, why, ((digest(job_id, attempt), digest(job_id, attempt + 1)),))


def history(*lines: str) -> History:
    return parse(["clock 0 1 1000", "life 0 7 6", "life 0 8 0", "life 0 6 0", *lines])


def faults(happened: History, left: Remains | None = None) -> list[str]:
    return check(happened, left or Remains(), RULES)


# One job that is killed in a child, runs again elsewhere, fails, and is finished.
SOUND = (
    *stored("a"), start(1, 7, "a"), "kill 2 7 child-at-random", start(3, 8, "a", 1),
    end(4, 8, "a", 1, "raised"), start(6, 8, "a", 2), end(7, 8, "a", 2),
)  # fmt: skip
SOUND_EVENTS = [
    reaped(2.1, W, "a", 0, "child-exit"),
    Event(4.1, "failed", V, "", ((digest("a", 1), digest("a", 2)),)),
]


def test_a_sound_history_has_no_faults() -> None:
    assert faults(history(*SOUND), Remains(events=SOUND_EVENTS)) == []


def test_a_lost_id_is_caught() -> None:
    assert faults(history(*stored("a", "b"), start(1, 7, "a"), end(2, 7, "a"))) == [
        "b was enqueued and never finished"
    ]


def test_a_run_that_only_raised_is_no_finish() -> None:
    happened = history(*stored("a"), start(1, 7, "a"), end(2, 7, "a", how="raised"))
    assert faults(happened) == ["a was enqueued and never finished"]


def test_an_id_whose_enqueue_never_returned_may_be_missing() -> None:
    assert faults(history("asked 0.1 5 a")) == []


def test_a_job_that_nobody_enqueued_is_caught() -> None:
    assert faults(history(start(1, 7, "a"), end(2, 7, "a"))) == ["a ran and was never enqueued"]


def test_a_dead_job_with_its_reason_counts_as_kept() -> None:
    left = Remains(dead=[raw("a", 4)], events=[reaped(9, W, "a", 3)])
    assert faults(history(*stored("a"), "kill 1 7 child-at-random"), left) == []


def test_a_job_that_is_dead_too_early_or_for_no_reason_is_caught() -> None:
    left = Remains(dead=[raw("a", 2), raw("b", 4)])
    assert faults(history(*stored("a", "b")), left) == [
        "a is dead after 2 attempts",
        "b is dead, and no event says why",
    ]


def test_a_second_run_without_a_cause_is_caught() -> None:
    happened = history(*stored("a"), start(1, 7, "a"), end(2, 7, "a"), start(3, 8, "a", 1), end(4, 8, "a", 1))
    (fault,) = faults(happened)
    assert fault.endswith("no failure and no reap between them is recorded")


def test_a_second_run_that_did_not_count_is_caught() -> None:
    happened = history(*stored("a"), start(1, 7, "a"), end(2, 7, "a"), start(3, 8, "a"), end(4, 8, "a"))
    (fault,) = faults(happened)
    assert fault.endswith("it ran again and did not count")


def test_a_second_run_after_a_release_by_a_process_that_left_is_allowed() -> None:
    happened = history(*stored("a"), start(1, 7, "a"), start(3, 8, "a"), end(4, 8, "a"))
    assert faults(happened, Remains(events=[Event(2, "released", W)])) == []


def test_a_second_run_after_a_release_by_a_process_that_went_on_is_caught() -> None:
    happened = history(
        *stored("a", "b"),
        start(1, 7, "a"),
        start(3, 8, "a"),
        end(4, 8, "a"),
        start(5, 7, "b"),
        end(6, 7, "b"),
    )
    (fault,) = faults(happened, Remains(events=[Event(2, "released", W)]))
    assert fault.endswith("it ran again and did not count")


def test_attempts_that_fall_are_caught() -> None:
    happened = history(*SOUND, start(8, 8, "a"), end(9, 8, "a"))
    (fault,) = faults(happened, Remains(events=SOUND_EVENTS))
    assert fault.endswith("attempts fell")


def test_an_overlap_without_a_reap_is_caught() -> None:
    happened = history(*stored("a"), start(1, 7, "a"), end(9, 7, "a"), start(3, 8, "a", 1), end(4, 8, "a", 1))
    moved = Event(2, "failed", V, "", ((digest("a", 0), digest("a", 1)),))
    (fault,) = faults(happened, Remains(events=[moved]))
    assert "overlaps" in fault


def test_an_overlap_after_the_reap_of_a_frozen_worker_is_allowed() -> None:
    happened = history(
        *stored("a"), start(1, 7, "a"), "stop 2 7", "cont 7 7", end(8, 7, "a"), start(6, 8, "a", 1),
        end(7.5, 8, "a", 1),
    )  # fmt: skip
    assert faults(happened, Remains(events=[reaped(5.5, W, "a", 0)])) == []


def test_the_reap_of_a_worker_that_lived_or_was_frozen_for_a_moment_is_caught() -> None:
    happened = history(
        *stored("a"), start(1, 7, "a"), "stop 2 7", "cont 3 7", end(8, 7, "a"), start(6, 8, "a", 1),
        end(7.5, 8, "a", 1),
    )  # fmt: skip
    (fault,) = faults(happened, Remains(events=[reaped(5.5, W, "a", 0)]))
    assert fault.endswith("it lived, and nothing had kept it from beating")


def test_the_reap_of_a_child_whose_supervisor_was_frozen_is_allowed() -> None:
    happened = history("stop 2 6", "cont 7 6")
    assert faults(happened, Remains(events=[reaped(5.5, W, "a", 0)])) == []


def test_the_exit_of_a_child_that_nothing_killed_is_caught() -> None:
    (fault,) = faults(history(), Remains(events=[reaped(5.5, W, "a", 0, "child-exit")]))
    assert fault.endswith("nothing had killed the child")


def test_jobs_that_are_left_anywhere_are_caught() -> None:
    left = Remains(pending=[b"1"], delayed=[b"1", b"2"], held={W: [b"3"]})
    assert faults(history(), left) == [
        "1 jobs are stranded in pending",
        "2 jobs are stranded in delayed",
        "1 jobs are stranded in processing:host:7:aa",
    ]


def test_a_heartbeat_that_a_supervisor_should_have_taken_away_is_caught() -> None:
    left = Remains(heartbeats={W})
    assert faults(history("kill 2 7 child-at-random"), left) == ["the heartbeat of host:7:aa is left"]
    assert faults(history("gone 2 7"), left) == ["the heartbeat of host:7:aa is left"]


def test_the_heartbeat_of_whom_nobody_could_clean_up_after_is_allowed() -> None:
    orphan = history("kill 2 6 supervisor-at-random", "kill 9 7 child-at-random")
    lone = history("kill 2 8 worker-at-random")
    asleep = history("kill 2 7 child-at-random", "stop 3 6", "cont 20 6", "kill 20 6 supervisor-at-random")
    assert faults(orphan, Remains(heartbeats={W})) == []
    assert faults(asleep, Remains(heartbeats={W})) == []
    assert faults(lone, Remains(heartbeats={V})) == []


def test_the_heartbeat_of_an_orphan_that_ended_in_order_is_caught() -> None:
    orphan = history("kill 2 6 supervisor-at-random", "gone 2.1 7")
    just_before = history("gone 2 7", "kill 2.1 6 supervisor-at-random")
    long_before = history("gone 2 7", "kill 9 6 supervisor-at-random")
    assert faults(orphan, Remains(heartbeats={W})) == ["the heartbeat of host:7:aa is left"]
    assert faults(just_before, Remains(heartbeats={W})) == []
    assert faults(long_before, Remains(heartbeats={W})) == ["the heartbeat of host:7:aa is left"]


def test_what_a_server_may_have_forgotten_excuses_a_rerun_but_no_lost_id() -> None:
    again = history(
        *stored("a"), start(1, 7, "a"), end(2, 7, "a"), start(5, 8, "a"), end(6, 8, "a"), "loss 4 1 1.5"
    )
    assert faults(again) == []
    assert faults(history(*stored("a"), "loss 4 1 1.5")) == ["a was enqueued and never finished"]


def test_events_of_the_recorder_are_found_by_the_pid_in_the_workers_name() -> None:
    event = reaped(1, W, "a", 0)
    assert event.pid == 7
    assert replace(event, worker=b"named").pid == 0
