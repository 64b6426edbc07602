"""The supervisor and its children: real processes, real signals."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from tests.queue.running import (
    POLICY,
    Client,
    Q,
    attempts,
    held,
    ids,
    pending,
    pid_of,
    push,
    ran,
    supervisor,
    wait_for_holder,
    workers,
)
from tests.support.processes import state_of, wait_until


def event_of(client: Client, kind: bytes) -> list[dict[bytes, bytes]]:
    return [fields for _, fields in client.xrange(Q.events) if fields[b"event"] == kind]


def test_children_share_the_work_beat_through_their_parent_and_retire(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, *(str(n) for n in range(20)), sleep=0.02)
    with supervisor(redis_url, processes=2) as process:
        wait_until(lambda: len(ran(redis_client)) == 20, 10, "all run")
        names = workers(redis_client)
        assert len(names) == 2
        for name in names:
            record = json.loads(redis_client.hget(Q.workers, b"i:" + name))
            assert record["pid"] == pid_of(name) != process.pid
            assert record["process"] == "supervised"
        process.signal(signal.SIGTERM)
        assert process.wait(5) == 0
    assert sorted(ran(redis_client), key=int) == [str(n) for n in range(20)]
    assert workers(redis_client) == set()
    assert held(redis_client) == {}
    assert redis_client.hget(Q.policy, "managed") == b"1"


def test_S10_what_a_killed_child_held_is_back_within_one_second(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", sleep=30)
    with supervisor(redis_url) as process:
        name = wait_for_holder(redis_client, "a")
        os.kill(pid_of(name), signal.SIGKILL)
        killed_at = time.monotonic()
        # Its successor may have claimed the job again before anybody looks.
        wait_until(lambda: event_of(redis_client, b"reaped"), 5, "it is reaped", every_seconds=0.005)
        assert time.monotonic() - killed_at < 1
        (reaped,) = event_of(redis_client, b"reaped")
        assert (reaped[b"worker"], reaped[b"why"], reaped[b"detail"]) == (name, b"child-exit", b"SIGKILL")
        wait_until(lambda: name not in workers(redis_client), 2, "its heartbeat is gone")
        assert name not in held(redis_client)
        tombstone = json.loads(redis_client.hget(Q.workers, b"t:" + name))
        assert (tombstone["state"], tombstone["why"], tombstone["held"]) == ("reaped", "child-exit", 1)
        heir = wait_for_holder(redis_client, "a", 5)
        assert heir != name
        assert attempts(held(redis_client)[heir]) == [1]
        assert process.is_running()


def test_the_record_of_an_exit_tells_its_code(redis_url: str, redis_client: Client) -> None:
    push(redis_client, "a", exit=7)
    with supervisor(redis_url):
        wait_until(lambda: redis_client.llen(Q.dead), 15, "the job is dead after its allowed runs")
    assert [one[b"detail"] for one in event_of(redis_client, b"reaped")] == [b"exit code 7"] * 4
    assert attempts(redis_client.lrange(Q.dead, 0, -1)) == [4]


def test_S30_jobs_past_the_grace_are_back_at_the_front_with_their_attempts_unchanged(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", "b", "c", "d", sleep=60)
    with supervisor(redis_url, batch=3, grace_seconds=1) as process:
        wait_for_holder(redis_client, "c")
        asked_at = time.monotonic()
        process.signal(signal.SIGTERM)
        assert process.wait(8) == 0
        assert 1 <= time.monotonic() - asked_at < 4
    assert ids(pending(redis_client)) == ["a", "b", "c", "d"]
    assert attempts(pending(redis_client)) == [0, 0, 0, 0]
    assert workers(redis_client) == set()
    assert held(redis_client) == {}
    assert ran(redis_client) == []
    assert not redis_client.exists(Q.dead, Q.delayed)


def test_S30_a_job_within_the_grace_is_finished_and_the_rest_of_its_batch_given_back(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", sleep=1)
    push(redis_client, "b", "c")
    with supervisor(redis_url, batch=2, grace_seconds=10) as process:
        wait_until(lambda: redis_client.lrange("began", 0, -1) == [b"a"], 10, "the first job runs")
        process.signal(signal.SIGINT)
        assert process.wait(5) == 0
    assert ran(redis_client) == ["a"]
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["b", "c"], [0, 0])
    assert held(redis_client) == {}
    assert workers(redis_client) == set()


def test_a_second_signal_ends_it_at_once_and_gives_the_jobs_back(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", sleep=60)
    with supervisor(redis_url, grace_seconds=60) as process:
        wait_for_holder(redis_client, "a")
        process.signal(signal.SIGTERM)
        process.wait_for_output("a second signal ends it at once", 5)
        process.signal(signal.SIGTERM)
        assert process.wait(3) == 0
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["a"], [0])
    assert workers(redis_client) == set()


@pytest.mark.parametrize("processes", [1, 3])
def test_an_idle_supervisor_ends_at_once(redis_url: str, redis_client: Client, processes: int) -> None:
    with supervisor(redis_url, processes=processes, block_seconds=5) as process:
        wait_until(
            lambda: redis_client.info("clients")["blocked_clients"] == processes, 10, "all wait for jobs"
        )
        asked_at = time.monotonic()
        process.signal(signal.SIGTERM)
        assert process.wait(4) == 0
        assert time.monotonic() - asked_at < 3
    assert workers(redis_client) == set()


def test_a_frozen_child_is_not_beaten_for_and_goes_on_when_it_is_thawed(
    redis_url: str, redis_client: Client
) -> None:
    with supervisor(redis_url) as process:
        (name,) = wait_until(lambda: workers(redis_client), 10, "it beats") or set()
        os.kill(pid_of(name), signal.SIGSTOP)
        wait_until(lambda: state_of(pid_of(name)) == "T", 5, "it is frozen")
        frozen_beat = redis_client.hget(Q.heartbeats, name)
        ends_at = time.monotonic() + 2.5
        wait_until(lambda: time.monotonic() > ends_at, 5, "two beats would have come")
        assert int(redis_client.hget(Q.heartbeats, name)) - int(frozen_beat) <= 1
        os.kill(pid_of(name), signal.SIGCONT)
        push(redis_client, "a")
        wait_until(lambda: ran(redis_client) == ["a"], 10, "it works again")
        assert process.is_running()


def test_S18_a_job_that_holds_the_interpreters_lock_for_longer_than_the_threshold_keeps_its_heartbeat(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", hold=4)
    with supervisor(redis_url):
        name = wait_for_holder(redis_client, "a")

        def is_fresh() -> bool:
            seconds, _ = redis_client.time()
            beat = redis_client.hget(Q.heartbeats, name)
            assert beat is not None
            assert seconds - int(beat) < POLICY.stale_after_seconds
            return bool(ran(redis_client))

        wait_until(is_fresh, 20, "the job ends", every_seconds=0.1)
    assert ran(redis_client) == ["a"]


def test_ten_children_that_die_at_once_end_the_supervisor_with_an_error_and_lose_nothing(
    redis_url: str, redis_client: Client
) -> None:
    redis_client.hset(Q.policy, "max_attempts", "1000")
    names = [str(n) for n in range(20)]
    push(redis_client, *names)
    # Each crashed job comes back as a suspect, whose further deaths were expected: it runs out of fresh ones.
    redis_client.hset(Q.policy, "max_attempts", "0")
    with supervisor(redis_url, handler="tests.queue.handlers:die_at_once") as process:
        assert process.wait(60) == 70
        assert "10 children in a row died" in process.output()
    assert ids(redis_client.lrange(Q.dead, 0, -1)) == names[:10][::-1]
    assert ids(pending(redis_client)) == names[10:]
    assert held(redis_client) == {}
    assert workers(redis_client) == set()


def test_a_handler_that_cannot_be_loaded_ends_it_with_one_sentence(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a")
    with supervisor(redis_url, handler="tests.queue.handlers:nowhere", processes=2) as process:
        assert process.wait(10) == 1
        output = process.output()
    assert "BadHandler: The handler 'tests.queue.handlers:nowhere' does not exist" in output
    assert ids(pending(redis_client)) == ["a"]
    assert held(redis_client) == {}


def test_a_child_that_gets_a_sigterm_of_its_own_leaves_politely_and_is_replaced(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", sleep=1)
    push(redis_client, "b")
    with supervisor(redis_url) as process:
        name = wait_for_holder(redis_client, "a")
        os.kill(pid_of(name), signal.SIGTERM)
        wait_until(lambda: ran(redis_client) == ["a", "b"], 10, "it finishes, and another goes on")
        assert name not in workers(redis_client)
        assert process.is_running()
    assert event_of(redis_client, b"reaped") == []


def test_S65_children_of_a_killed_supervisor_finish_their_jobs_retire_and_leave(
    redis_url: str, redis_client: Client
) -> None:
    push(redis_client, "a", "b", sleep=4)
    push(redis_client, "c", "d")
    with supervisor(redis_url, processes=2) as process:
        pids = {pid_of(wait_for_holder(redis_client, one)) for one in ("a", "b")}
        process.kill()

        def is_fresh() -> bool:
            seconds, _ = redis_client.time()
            beats = redis_client.hvals(Q.heartbeats)
            assert all(seconds - int(beat) < POLICY.stale_after_seconds for beat in beats)
            return sorted(ran(redis_client)) == ["a", "b"]

        wait_until(is_fresh, 15, "both jobs end under fresh heartbeats", every_seconds=0.1)
        wait_until(lambda: all(state_of(pid) in "ZX" for pid in pids), 5, "the children are gone")
    assert workers(redis_client) == set()
    assert held(redis_client) == {}
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["c", "d"], [0, 0])
