"""What the server itself says about the time that commands took.

Owns: resetting and reading the server's own accounts. Refuses: to use the clock of the client, which would
count the network and this process too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import redis

SLOWLOG_LENGTH = 100_000


@dataclass(slots=True)
class ServerTime:
    """Filled when the `with` block ends: microseconds by command, and the longest single call of each."""

    spent_us: dict[str, int] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    longest_us: dict[str, int] = field(default_factory=dict)
    processor_seconds: float = 0.0
    """Of the thread that runs commands, reading requests and writing answers included."""

    def seconds(self, *commands: str) -> float:
        """Seconds spent in these commands together."""
        return sum(self.spent_us.get(command, 0) for command in commands) / 1e6

    def longest_ms(self, *commands: str) -> float:
        """Milliseconds of the longest single call among these commands."""
        return max((self.longest_us.get(command, 0) for command in commands), default=0) / 1e3


@contextmanager
def accounted(client: redis.Redis) -> Iterator[ServerTime]:
    """Account for what the server does during the block; commands called by scripts count with the script."""
    client.config_set("slowlog-max-len", SLOWLOG_LENGTH)
    client.config_set("slowlog-log-slower-than", 0)
    client.config_resetstat()
    client.slowlog_reset()
    spent = ServerTime()
    before = processor_seconds(client)
    yield spent
    spent.processor_seconds = processor_seconds(client) - before
    stats = client.info("commandstats")
    entries = client.slowlog_get(SLOWLOG_LENGTH)
    client.config_set("slowlog-log-slower-than", -1)
    for name, facts in stats.items():
        command = name.removeprefix("cmdstat_").lower()
        spent.spent_us[command] = int(facts["usec"])
        spent.calls[command] = int(facts["calls"])
    for entry in entries:
        command = bytes(entry["command"]).split(b" ", 1)[0].decode("latin-1").lower()
        spent.longest_us[command] = max(spent.longest_us.get(command, 0), int(entry["duration"]))


def processor_seconds(client: redis.Redis) -> float:
    """What the server's main thread has used so far: unlike a clock, it stands still while others run."""
    facts = client.info("cpu")
    return float(facts["used_cpu_user_main_thread"]) + float(facts["used_cpu_sys_main_thread"])
