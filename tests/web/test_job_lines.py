"""What a job's line says of its attempts."""

import pytest

from dashboard.web.presenting.job_lines import limit_note


@pytest.mark.parametrize(
    ("attempts", "note"),
    [
        (None, ""),
        (0, ""),
        (2, ""),
        (3, "limit 3: the next failure is final"),
        (4, "over the limit of 3"),
        (1_000, "over the limit of 3"),
    ],
)
def test_a_reached_limit_and_a_passed_one_are_told_apart(attempts: int | None, note: str) -> None:
    assert limit_note(attempts, 3) == note
