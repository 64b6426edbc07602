"""The counter of a job, in Lua and in Python: 20,000 odd jobs by one property, and the named ones by hand."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis

from dashboard.queue import lua_source
from dashboard.queue.job import bump, set_attempts
from tests.support.counter_oracle import check_bump
from tests.support.odd_jobs import odd_jobs

PROBE = lua_source.assemble(Path(__file__).parent / "counter_probe.lua").text
CASES_A_CALL = 500

Bumped = tuple[bytes, int] | None


def in_lua(
    client: redis.Redis, raws: Sequence[bytes]
) -> list[tuple[tuple[bytes, float] | None, bytes | None]]:
    """What lua/shared/counter.lua makes of each job: bump's bytes and count, and reset's bytes."""
    answers = client.eval(PROBE, 0, *raws)
    return [
        ((bumped[0], float(bumped[1])) if bumped else None, renewed[0] if renewed else None)
        for bumped, renewed in answers
    ]


def as_lua_counts(bumped: Bumped) -> tuple[bytes, float] | None:
    """Python's answer with the count as Lua's double holds it."""
    return None if bumped is None else (bumped[0], float(str(bumped[1])))


@pytest.mark.parametrize("seed", range(4))
def test_twenty_thousand_odd_jobs_gain_one_attempt_and_no_other_byte(
    redis_client: redis.Redis, seed: int
) -> None:
    raws = list(odd_jobs(5000, seed))
    kinds: Counter[str] = Counter()
    for start in range(0, len(raws), CASES_A_CALL):
        chunk = raws[start : start + CASES_A_CALL]
        for raw, (lua_bumped, lua_renewed) in zip(chunk, in_lua(redis_client, chunk), strict=True):
            bumped, renewed = bump(raw), set_attempts(raw, 0)
            assert as_lua_counts(bumped) == lua_bumped, raw
            assert renewed == lua_renewed, raw
            kinds[check_bump(raw, bumped)] += 1
            if bumped is not None and bumped[0].count(b"attempts") == raw.count(b"attempts"):
                assert set_attempts(bumped[0], 0) == renewed, raw
    # The stream is not worth its name when a kind dries up.
    assert kinds["counted"] > 1500, kinds
    assert min(kinds[kind] for kind in ("no counter", "no whole number", "refused by json")) > 250, kinds
    assert kinds["too deep for json"] > 0, kinds


def test_every_server_counts_the_same(each_client: redis.Redis) -> None:
    raws = list(odd_jobs(1000, 99))
    for raw, (bumped, renewed) in zip(raws, in_lua(each_client, raws), strict=True):
        assert (as_lua_counts(bump(raw)), set_attempts(raw, 0)) == (bumped, renewed), raw
