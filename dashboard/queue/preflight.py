"""What is asked of a server before a job is touched.

Owns: whether it answers and is new enough. Refuses: to judge its memory policy or persistence.
"""

from __future__ import annotations

from typing import Any

import redis

from dashboard.queue.errors import ServerRefused, translated

OLDEST_VERSION = (6, 2)
"""LMOVE, BLMOVE and ZRANGE BYSCORE came with it."""


def check_server(client: redis.Redis) -> str:
    """Return the server's version, "" when it does not say.

    Raises ServerAway, or ServerRefused for one that is too old or does not let us in.
    """
    with translated():
        client.ping()
    try:
        with translated():
            server: Any = client.info("server")
    except ServerRefused as error:
        if error.code == "NOPERM":
            return ""
        raise
    version = str(server.get("redis_version", ""))
    parts = version.split(".")
    if all(part.isdigit() for part in parts[:2]) and tuple(int(part) for part in parts[:2]) < OLDEST_VERSION:
        raise ServerRefused(
            "VERSION", f"Redis {version} is too old: 6.2 or newer is needed. No job was touched."
        )
    return version
