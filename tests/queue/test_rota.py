"""The order among several queues, by rank and by weights, without a server."""

from __future__ import annotations

from collections import Counter

import pytest

from dashboard.queue.rota import Rota


def serve(rota: Rota, waiting: dict[int, float], turns: int, job_count: int = 1) -> str:
    """Take `turns` as a loop does: the first in order that has jobs is served. Returns the ranks served."""
    served = ""
    for _ in range(turns):
        rank = next((rank for rank in rota.order() if waiting.get(rank, 0) > 0), None)
        if rank is None:
            rota.note_idle()
            served += "-"
        else:
            waiting[rank] -= job_count
            rota.note_served(rank, job_count)
            served += str(rank)
    return served


ENDLESS = float("inf")


def test_without_weights_a_lower_queue_is_served_when_all_above_it_are_empty() -> None:
    rota = Rota(3)
    assert serve(rota, {0: 2, 1: 1, 2: 2}, 6) == "00122-"
    assert serve(rota, {0: ENDLESS, 2: ENDLESS}, 50) == "0" * 50
    assert rota.order() == [0, 1, 2]


def test_with_weights_all_that_have_jobs_get_their_shares_well_mixed() -> None:
    served = serve(Rota(3, [6, 3, 1]), {0: ENDLESS, 1: ENDLESS, 2: ENDLESS}, 1000)
    assert Counter(served) == {"0": 600, "1": 300, "2": 100}
    assert served[:10] == "0010010012"
    for start in range(990):
        assert Counter(served[start : start + 10])["2"] == 1, "the lowest waits for ten jobs at most"


def test_the_shares_are_of_jobs_also_where_one_queue_gives_more_at_a_time() -> None:
    rota, counts = Rota(2, [3, 1]), Counter[int]()
    for _ in range(400):
        rank = rota.order()[0]
        job_count = 1 if rank else 10
        counts[rank] += job_count
        rota.note_served(rank, job_count)
    assert 2.9 < counts[0] / counts[1] < 3.1


def test_a_queue_that_was_empty_for_long_has_saved_up_nothing() -> None:
    rota = Rota(3, [6, 3, 1])
    serve(rota, {0: ENDLESS}, 10_000)
    served = serve(rota, {0: ENDLESS, 1: ENDLESS, 2: ENDLESS}, 20)
    assert Counter(served)["0"] >= 11, served
    rota = Rota(3, [6, 3, 1])
    serve(rota, {2: ENDLESS}, 10_000)
    served = serve(rota, {0: ENDLESS, 1: ENDLESS, 2: ENDLESS}, 20)
    assert 1 <= Counter(served)["2"] <= 3, served
    assert Counter(served)["1"] >= 5, served


def test_while_only_a_low_queue_has_jobs_the_high_ones_are_asked_before_each_of_them() -> None:
    rota = Rota(3, [6, 3, 1])
    for _ in range(1000):
        assert rota.order() == [0, 1, 2]
        rota.note_served(2, 1)


@pytest.mark.parametrize("job_count", [1, 10])
def test_an_empty_low_queue_is_asked_before_the_busy_high_one_at_its_weight_only(job_count: int) -> None:
    rota, looked = Rota(3, [6, 3, 1]), Counter[int]()
    for _ in range(600):
        looked[rota.order()[0]] += 1
        rota.note_served(0, job_count)
    assert looked[1] <= 301
    assert looked[2] <= 101


def test_no_turn_is_lost_while_any_queue_has_jobs() -> None:
    for weights in (None, [6, 3, 1], [1, 1, 1], [1, 1000, 7]):
        waiting: dict[int, float] = {0: 7, 1: 50, 2: 19}
        served = serve(Rota(3, weights), waiting, 76)
        assert Counter(served) == {"0": 7, "1": 50, "2": 19}
        assert serve(Rota(3, weights), waiting, 2) == "--"


@pytest.mark.parametrize("weights", [None, [5]])
def test_one_queue_needs_no_choice(weights: list[int] | None) -> None:
    assert serve(Rota(1, weights), {0: 3}, 5) == "000--"
