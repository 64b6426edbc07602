"""S36, S38: fifty thousand deaths and a million jobs that wait."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from dashboard.inspector import Inspector
from dashboard.queue.address import Act
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from tests.queue.running import Client, Q, ids

DEATHS = 50_000
WAITING = 1_000_000
CALLS = 60
FILL = """
local jobs = {}
for number = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  jobs[#jobs + 1] = '{"id":' .. number .. ',"payload":null,"attempts":' .. ARGV[3] .. '}'
  if #jobs == 1000 or number == tonumber(ARGV[2]) then
    redis.call('LPUSH', KEYS[1], unpack(jobs))
    jobs = {}
  end
end
"""
PAGE_SECONDS = 1.0
"""A page takes a few milliseconds; a machine under load may take longer."""


def fill(client: Client, key: bytes, count: int, attempts: int = 0) -> None:
    """Push jobs with the ids from 1 on, in calls that do not stop the server for long."""
    for start in range(1, count + 1, 50_000):
        client.eval(FILL, 1, key, start, min(start + 49_999, count), attempts)


def seconds_of(call: Callable[[], object]) -> float:
    started = time.monotonic()
    call()
    return time.monotonic() - started


def test_S36_after_fifty_thousand_deaths_all_are_in_dead_and_pages_stay_fast(redis_client: Client) -> None:
    scripts, act = Scripts(redis_client), Act("janitor")
    fill(redis_client, Q.processing(b"w1"), DEATHS, attempts=3)
    scripts.beat(Q, b"w1", token="t")
    left = DEATHS
    while left:
        left = scripts.requeue(
            Q, b"w1", why="child-exit", evidence=b"t", defaults=Policy(max_attempts=3), act=act
        ).left_count
    assert redis_client.llen(Q.dead) == DEATHS
    assert (
        redis_client.eval(
            "local seen = {} for _, raw in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do "
            "seen[cjson.decode(raw).id] = cjson.decode(raw).attempts end "
            "for id = 1, tonumber(ARGV[1]) do if seen[id] ~= 4 then return id end end return 0",
            1,
            Q.dead,
            DEATHS,
        )
        == 0
    )
    assert not redis_client.exists(Q.pending, Q.processing(b"w1"), Q.delayed)
    inspector = Inspector(redis_client, defaults=Policy(), queues=[Q.queue])
    try:
        inspector.overview()
        first = inspector.jobs(Q.queue, "dead")
        assert first.total_count == DEATHS
        assert len(first.rows) == 50
        pages: list[Callable[[], object]] = [
            inspector.overview,
            lambda: inspector.queue(Q.queue),
            lambda: inspector.jobs(Q.queue, "dead"),
            lambda: inspector.jobs(Q.queue, "dead", "40000"),
        ]
        for page in pages:
            assert min(seconds_of(page) for _ in range(3)) < PAGE_SECONDS
    finally:
        inspector.close()


def test_S38_with_a_million_waiting_each_script_takes_under_a_millisecond_of_the_servers_time(
    redis_client: Client,
) -> None:
    full, q, w = redis_client, Q, b"w1"
    scripts = Scripts(full)
    fill(full, q.pending, WAITING)
    held: list[bytes] = scripts.claim(q, w, 1).raws
    scripts.beat(q, w, token="t")

    def settle(number: int) -> None:
        held[:] = scripts.settle(q, w, number, held, 1).raws

    def fail(_: int) -> None:
        (raw,) = held
        scripts.fail(q, w, raw, raw, delay_ms=1000, error="no")
        held[:] = scripts.claim(q, w, 1).raws

    def reap(_: int) -> None:
        scripts.requeue(q, w, why="child-exit", evidence=b"t", defaults=Policy(), act=Act("supervisor"))
        held[:] = scripts.claim(q, w, 1).raws

    acts: dict[str, Callable[[int], None]] = {"acknowledge and claim": settle, "fail": fail, "reap": reap}
    for name, act in acts.items():
        spent = []
        act(0)
        for number in range(1, CALLS + 1):
            before = script_usec(full)
            act(number)
            spent.append(script_usec(full) - before)
        # Two calls at most; the median, since others may take the processor from the server meanwhile.
        assert statistics.median(spent) < 1000, (name, spent)
    left = full.llen(q.pending) + full.zcard(q.delayed) + full.llen(q.dead) + len(held)
    assert left == WAITING - (CALLS + 1), "all but those that were acknowledged"
    assert ids(held) == ids(full.lrange(q.processing(w), 0, -1))


def script_usec(client: Client) -> int:
    """The time that the server has spent in scripts, in microseconds."""
    stats = client.info("commandstats")
    return sum(int(stats.get(f"cmdstat_{name}", {}).get("usec", 0)) for name in ("evalsha", "eval"))
