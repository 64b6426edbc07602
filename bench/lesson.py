"""A worker of the simplest kind, as a process: `python -m bench.lesson PORT QUEUE WORKER`.

Owns: the loop that the library is measured against: BLMOVE, HSET of the heartbeat, a handler that does
nothing, LREM. It is written here in the fewest words, with the client's defaults.
"""

from __future__ import annotations

import json
import sys
import time

import redis


def main(port: int, queue: str, worker: str) -> None:
    """Work until nothing has come for a second."""
    client = redis.Redis(port=port, decode_responses=True)
    held = f"{queue}:processing:{worker}"
    while True:
        raw = client.blmove(f"{queue}:pending", held, timeout=1, src="RIGHT", dest="LEFT")
        if raw is None:
            return
        client.hset(f"{queue}:heartbeats", worker, str(int(time.time())))
        json.loads(raw)
        client.lrem(held, 1, str(raw))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
