"""S29 on processes: bytes that are no job, among good ones everywhere, stop no loop and arrive unchanged."""

from __future__ import annotations

from collections import Counter

from tests.queue.running import Client, Q, held, janitor, push, supervisor
from tests.support.processes import wait_until

NO_JOBS = [b"not json", b"[]", b"\xff\x00", b'{"attempts":"x"}', b""]


def test_S29_bytes_that_are_no_job_end_in_dead_from_pending_held_and_delayed_and_the_good_ones_run(
    redis_url: str, redis_client: Client
) -> None:
    now = redis_client.time()[0]
    for place, raw in enumerate(NO_JOBS):
        push(redis_client, f"pending {place}")
        redis_client.lpush(Q.pending, raw)
        redis_client.lpush(Q.processing(b"ghost"), raw, b'{"id":"held %d","attempts":0}' % place)
        delayed = {raw: now + 1, b'{"id":"delayed %d","attempts":0}' % place: now + 1}
        redis_client.zadd(Q.delayed, delayed)
    redis_client.lpush(Q.pending, b"{}")
    good = {f"{where} {place}" for where in ("pending", "held", "delayed") for place in range(len(NO_JOBS))}
    with supervisor(redis_url, batch=4) as working, janitor(redis_url, "q") as keeping:
        wait_until(lambda: redis_client.llen(Q.dead) == 3 * len(NO_JOBS), 25, "the bad ones are dead")
        wait_until(lambda: redis_client.llen("ran") == len(good) + 1, 15, "the good ones ran")
        wait_until(lambda: not held(redis_client), 5, "nothing is held")
        assert working.is_running()
        assert keeping.is_running()
    assert Counter(redis_client.lrange(Q.dead, 0, -1)) == Counter(NO_JOBS * 3)
    ran = Counter(one.decode() for one in redis_client.lrange("ran", 0, -1))
    assert ran == Counter([*good, "None"])
    assert not redis_client.exists(Q.pending, Q.delayed)
