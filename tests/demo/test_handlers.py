"""The demo's handlers: what works is noted once, what fails fails like real life and always the same."""

from __future__ import annotations

from random import Random

import pytest
import redis

from dashboard.demo import handlers, payloads
from dashboard.queue.job import Job, decode, encode, set_attempts


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch, redis_client: redis.Redis, redis_url: str) -> None:
    """The times of real life are not what these tests are about."""
    monkeypatch.setattr(handlers, "MAIL_SECONDS", (0.0, 0.0))
    monkeypatch.setattr(handlers, "WEBHOOK_SECONDS", (0.0, 0.0))
    monkeypatch.setattr(handlers, "_clients", {})
    monkeypatch.setenv("REDIS_URL", redis_url)


def job(job_id: str, payload: object, attempts: int = 0) -> Job:
    """A job as a worker hands it over."""
    return decode(set_attempts(encode(job_id, payload), attempts) or b"")


def test_a_mail_is_noted_once_however_often_it_runs(redis_client: redis.Redis) -> None:
    for _ in range(2):
        handlers.mail(job("mail-1", payloads.mail(Random(1))))

    assert redis_client.smembers("demo:done:mail") == {b"mail-1"}


def test_a_mail_to_nobody_fails(redis_client: redis.Redis) -> None:
    for payload in ({"to": "nobody"}, {}, None, 7):
        with pytest.raises(handlers.BadAddress):
            handlers.mail(job("mail-2", payload))

    assert redis_client.exists("demo:done:mail") == 0


@pytest.mark.parametrize("number", range(20))
def test_the_host_that_is_down_gives_each_job_always_the_same_error(
    redis_client: redis.Redis, number: int
) -> None:
    one = job(f"hook-{number}", payloads.webhook(Random(number), handlers.NEVER))
    said = set()
    for _ in range(3):
        with pytest.raises(
            (handlers.ConnectTimeout, handlers.ReadTimeout, handlers.HTTPStatusError)
        ) as error:
            handlers.webhook(one)
        said.add(str(error.value))

    assert len(said) == 1
    assert redis_client.exists("demo:done:webhooks") == 0


def test_the_host_that_is_shaky_takes_the_second_run(redis_client: redis.Redis) -> None:
    payload = payloads.webhook(Random(1), handlers.TWICE)
    with pytest.raises(handlers.HTTPStatusError, match="503 Service Unavailable"):
        handlers.webhook(job("hook-1", payload))

    handlers.webhook(job("hook-1", payload, attempts=1))

    assert redis_client.smembers("demo:done:webhooks") == {b"hook-1"}
