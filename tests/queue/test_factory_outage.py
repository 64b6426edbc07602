"""Many connections after an outage: they come back within seconds, and not in one instant."""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest

from tests.queue.running import program
from tests.support.processes import wait_until
from tests.support.server import Kind, ValkeyServer

PROCESSES, CONNECTIONS = 4, 125
OUTAGE_SECONDS = 3.0
SLICE_SECONDS = 0.1


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S42_five_hundred_connections_of_four_processes_come_back_spread_over_most_of_a_second(
    kind: Kind,
) -> None:
    with ValkeyServer(kind) as server, ExitStack() as stack:
        for _ in range(PROCESSES):
            stack.enter_context(program("crowd", server.url, count=CONNECTIONS))

        def here() -> int:
            """How many beat: those of the crowd, without the one that looks."""
            with server.client(socket_timeout=20.0) as client:
                names = [one["name"] for one in client.client_list()]
            return names.count("watchkeeper:beat")

        wait_until(lambda: here() == PROCESSES * CONNECTIONS, 60, "all are connected", every_seconds=0.2)
        server.kill()
        ends_at = time.monotonic() + OUTAGE_SECONDS
        wait_until(lambda: time.monotonic() > ends_at, OUTAGE_SECONDS + 5, "the outage is over")
        server.start()
        back_at, seen = time.monotonic(), [(0.0, 0)]

        def all_are_back() -> bool:
            count = here()
            seen.append((time.monotonic() - back_at, count))
            return count == PROCESSES * CONNECTIONS

        wait_until(all_are_back, 30, "all are back", every_seconds=SLICE_SECONDS)
        few_until = max(at for at, count in seen if count <= 0.1 * PROCESSES * CONNECTIONS)
        most_at = min(at for at, count in seen if count >= 0.9 * PROCESSES * CONNECTIONS)
        # A pause of up to two seconds is half chance: the middle ones take most of a second to come.
        assert most_at - few_until >= 0.4, f"they came at once: {seen}"
        assert seen[-1][0] <= 10
