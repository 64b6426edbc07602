"""The lesson's worker and its reap, as processes: `python -m tests.scenarios.lesson worker URL QUEUE NAME`.

Owns: the same steps in the same order, with the same gaps between them. Refuses: to be better than that. The
reap runs once a second here, where the lesson leaves open how often.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import redis

STALE_SECONDS = 3
MAX_ATTEMPTS = 3
GIVE_BACK = """
local live, buried = 0, 0
local raw = redis.call('RPOP', KEYS[1])
while raw do
  local job = cjson.decode(raw)
  job.attempts = job.attempts + 1
  if job.attempts > tonumber(ARGV[1]) then
    redis.call('LPUSH', KEYS[3], cjson.encode(job))
    buried = buried + 1
  else
    redis.call('RPUSH', KEYS[2], cjson.encode(job))
    live = live + 1
  end
  raw = redis.call('RPOP', KEYS[1])
end
return {live, buried}
"""


def client_of(url: str) -> Any:
    """A client with the defaults of its library, as the lesson has it."""
    return redis.Redis.from_url(url, decode_responses=True)


def work(url: str, queue: str, name: str) -> None:
    """Claim, beat, work for ten milliseconds, acknowledge; until nothing has come for a second."""
    client, mine = client_of(url), f"{queue}:processing:{name}"
    client.hset(f"{queue}:heartbeats", name, int(time.time()))
    while True:
        raw = client.blmove(f"{queue}:pending", mine, timeout=1, src="RIGHT", dest="LEFT")
        if raw is None:
            return
        client.hset(f"{queue}:heartbeats", name, int(time.time()))
        job = json.loads(raw)
        time.sleep(0.01)
        client.sadd("done", job["id"])
        client.lrem(mine, 1, raw)


def reap(client: Any, queue: str) -> None:
    """Move what workers with an old heartbeat hold, and then, in a second step, remove the heartbeat."""
    for name, beat in client.hgetall(f"{queue}:heartbeats").items():
        if time.time() - int(beat) > STALE_SECONDS:
            keys = [f"{queue}:processing:{name}", f"{queue}:pending", f"{queue}:dead"]
            client.eval(GIVE_BACK, 3, *keys, MAX_ATTEMPTS)
            client.hdel(f"{queue}:heartbeats", name)


def keep_reaping(url: str, queue: str) -> None:
    """Reap once a second until killed."""
    client = client_of(url)
    while True:
        reap(client, queue)
        time.sleep(1)


if __name__ == "__main__":
    kind, *words = sys.argv[1:]
    if kind == "worker":
        work(*words)
    else:
        keep_reaping(*words)
