"""The delay of a failed job and the pauses of a loop without a server."""

from __future__ import annotations

import pytest

from dashboard.queue import backoff


@pytest.mark.parametrize(
    ("attempts", "base_ms"),
    [(1, 1_000), (2, 4_000), (3, 16_000), (6, 1_024_000), (7, 3_600_000), (10**9, 3_600_000)],
)
def test_a_failed_job_waits_one_four_sixteen_seconds_up_to_an_hour_and_a_little_more(
    attempts: int, base_ms: int
) -> None:
    delays = {backoff.delay_ms(attempts) for _ in range(200)}
    assert min(delays) >= base_ms
    assert max(delays) <= base_ms * 1.25
    assert len(delays) > 20, "the offset is random"


@pytest.mark.parametrize("attempts", [0, -7])
def test_a_counter_that_somebody_lowered_still_gives_a_delay(attempts: int) -> None:
    assert 1_000 <= backoff.delay_ms(attempts) <= 1_250


def test_a_loop_without_a_server_pauses_longer_each_time_and_two_seconds_at_most() -> None:
    assert 0.025 <= backoff.pause_seconds(1) <= 0.05
    assert 0.4 <= backoff.pause_seconds(5) <= 0.8
    assert 1.0 <= backoff.pause_seconds(10_000) <= 2.0
