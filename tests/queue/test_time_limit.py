"""Time limits: what interrupts a handler, what it makes of that, and what ends a child that goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import BadTimeLimit
from dashboard.queue.factory import ServerFactory
from dashboard.queue.handler import Runner, describe, traceback_of
from dashboard.queue.job import Job, decode
from dashboard.queue.supervisor import Supervisor
from dashboard.queue.time_limit import TimeLimitExceeded
from dashboard.queue.worker import Worker

JOB = decode(b'{"id":"1","payload":null,"attempts":0}')
LONG = 20.0
"""Never waited for: the limits of these tests are a fifth of a second."""


def sleeps(_: Job) -> None:
    time.sleep(LONG)


def tries_again(job: Job) -> None:
    for _ in range(3):
        with suppress(Exception):
            time.sleep(LONG)


def turns_it_into_its_own(_: Job) -> None:
    try:
        time.sleep(LONG)
    except BaseException as error:
        raise ValueError("the other side is slow") from error


def swallows(_: Job) -> None:
    try:
        time.sleep(LONG)
    except BaseException:
        return


async def waits(_: Job) -> None:
    await asyncio.sleep(LONG)


async def waits_for_a_task(_: Job) -> None:
    await asyncio.gather(asyncio.sleep(LONG), asyncio.sleep(LONG))


async def sleeps_in_the_loop(_: Job) -> None:
    time.sleep(LONG)


async def swallows_the_cancellation(_: Job) -> None:
    try:
        await asyncio.sleep(LONG)
    except BaseException:
        return


def runs_a_loop_of_its_own(_: Job) -> None:
    asyncio.run(asyncio.sleep(LONG))


def hands_over(job: Job) -> Awaitable[None]:
    return waits(job)


@pytest.mark.parametrize(
    "handler",
    [
        sleeps, tries_again, turns_it_into_its_own, swallows, waits, waits_for_a_task, sleeps_in_the_loop,
        swallows_the_cancellation, runs_a_loop_of_its_own, hands_over,
    ],
)  # fmt: skip
def test_a_handler_over_its_limit_is_interrupted_and_fails_whatever_it_makes_of_it(handler: Any) -> None:
    runner = Runner(handler, 0.2)
    began_at = time.monotonic()
    with pytest.raises(TimeLimitExceeded) as raised:
        runner.call(JOB)
    assert 0.2 <= time.monotonic() - began_at < LONG / 2
    assert describe(raised.value) == "TimeLimitExceeded: the job was over its time limit of 0.2 s"
    if handler in (sleeps, waits, sleeps_in_the_loop, turns_it_into_its_own):
        assert f"in {handler.__name__}" in traceback_of(raised.value)
    runner.close()


def test_the_next_job_has_the_whole_limit_and_a_quick_one_is_not_touched() -> None:
    done: list[object] = []

    async def handler(job: Job) -> None:
        await asyncio.sleep(LONG if job.id == "slow" else 0.15)
        done.append(job.id)

    runner = Runner(handler, 0.25)
    for name in ("a", "slow", "b", "slow", "c"):
        job = decode(b'{"id":"%s"}' % name.encode())
        if name == "slow":
            with pytest.raises(TimeLimitExceeded):
                runner.call(job)
        else:
            runner.call(job)
    assert done == ["a", "b", "c"]
    time.sleep(0.3)
    runner.close()


def test_what_a_handler_raises_within_its_limit_is_raised() -> None:
    def handler(_: Job) -> None:
        raise ValueError("this one fails")

    with pytest.raises(ValueError, match="this one fails"):
        Runner(handler, 0.5).call(JOB)
    time.sleep(0.6)


def test_a_handler_may_clean_up_and_is_interrupted_once() -> None:
    cleaned: list[float] = []

    def handler(_: Job) -> None:
        began_at = time.monotonic()
        try:
            time.sleep(LONG)
        finally:
            time.sleep(0.5)
            cleaned.append(time.monotonic() - began_at)

    with pytest.raises(TimeLimitExceeded):
        Runner(handler, 0.2).call(JOB)
    assert cleaned[0] >= 0.7


@pytest.mark.parametrize("seconds", [0, -1, 0.05, float("nan"), float("inf"), 1e9])
def test_a_limit_that_is_none_is_refused(redis_url: str, seconds: float) -> None:
    for make in (
        lambda: Supervisor(ServerFactory.from_url(redis_url), "q", "time:sleep", time_limit_seconds=seconds),
        lambda: Worker(Connections.from_url(redis_url), "q", print, time_limit_seconds=seconds),
    ):
        with pytest.raises(BadTimeLimit, match=r"A time limit is 0\.1 to 604,800 seconds"):
            make()


def test_a_worker_with_a_limit_refuses_to_run_outside_the_main_thread(redis_url: str) -> None:
    one = Worker(Connections.from_url(redis_url), "q", print, time_limit_seconds=5)
    raised: list[BaseException] = []

    def run() -> None:
        try:
            one.run()
        except BadTimeLimit as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    assert str(raised[0]).startswith("A time limit needs the main thread of the process")
    with Connections.from_url(redis_url).command() as client:
        assert client.keys() == []
