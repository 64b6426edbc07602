"""What the demo's queues hold before the first worker starts, so that no page is empty.

Owns: the three policies, a handful of dead letters with the errors of the last hour, some delayed jobs.
Refuses: to run twice on the same queues; the store is cleared first.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import redis

from dashboard.demo import payloads
from dashboard.demo.handlers import NEVER
from dashboard.demo.ledger import Ledger
from dashboard.queue.job import encode, set_attempts, splice
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy

POLICIES: Final = {
    b"mail": Policy(stale_after_seconds=6, beat_seconds=1, max_attempts=3, managed=True),
    b"reports": Policy(
        stale_after_seconds=10, beat_seconds=1, max_attempts=3, reaping="manual", managed=True
    ),
    b"webhooks": Policy(stale_after_seconds=6, beat_seconds=1, max_attempts=2, managed=True),
}
RECOVERED: Final = "hooks.shop.example"
"""A host that was down and is well again: retrying its dead letters works."""
DEAD_LETTERS: Final = (
    (RECOVERED, "ConnectTimeout", f"{RECOVERED}:443 after 10.0s", 3540),
    (RECOVERED, "ConnectTimeout", f"{RECOVERED}:443 after 10.0s", 3533),
    (RECOVERED, "HTTPStatusError", f"503 Service Unavailable from https://{RECOVERED}/events", 3401),
    (RECOVERED, "HTTPStatusError", f"503 Service Unavailable from https://{RECOVERED}/events", 3388),
    (NEVER, "ConnectTimeout", f"{NEVER}:443 after 10.0s", 2710),
    (RECOVERED, "ReadTimeout", f"{RECOVERED}:443, no answer for 30.0s", 2205),
    (NEVER, "HTTPStatusError", f"502 Bad Gateway from https://{NEVER}/hooks", 1260),
    (NEVER, "ConnectTimeout", f"{NEVER}:443 after 10.0s", 640),
    (NEVER, "ConnectTimeout", f"{NEVER}:443 after 10.0s", 95),
)
"""Host, error, its text, and how many seconds ago the job died; oldest first."""


def sow(client: redis.Redis, ledger: Ledger) -> None:
    """Write the policies and the dead letters."""
    for name, policy in POLICIES.items():
        fields: dict[Any, Any] = {**policy.to_hash()}
        client.hset(QueueKeys(name).policy, mapping=fields)
    seconds, micros = client.time()
    chance = Random()
    for host, kind, text, age_seconds in DEAD_LETTERS:
        job_id = ledger.new_id(b"webhooks")
        failed_at = seconds + micros / 1e6 - age_seconds
        raw = encode(job_id, payloads.webhook(chance, host), enqueued_at=failed_at - 9.5)
        raw = set_attempts(raw, POLICIES[b"webhooks"].max_attempts + 1) or raw
        raw = splice(
            raw, {"error": f"{kind}: {text}", "failed_at": failed_at, "worker": "demo-host:4242:1f0c"}
        )
        client.lpush(QueueKeys(b"webhooks").dead, raw)
