"""The trials: each starts servers and a crew, lets a storm over them, and returns the checker's verdict.

Owns: what is struck in which order, by a seed. Refuses: to assert; the tests of this folder do, with fixed
seeds, and `soak`, with as many as there is time for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dashboard.queue.keys import QueueKeys
from tests.chaos.checker import Rules
from tests.chaos.crew import Crew
from tests.chaos.points import OF_CHILDREN, OF_JANITORS, OF_SUPERVISORS, OF_WORKERS
from tests.chaos.rota import Rota
from tests.chaos.storm import Storm, Strike
from tests.chaos.verdict import Verdict, settle
from tests.queue.running import QUICK
from tests.support.cluster import Cluster
from tests.support.processes import wait_until
from tests.support.proxy import Proxy
from tests.support.replicas import ReplicaPair, is_in_step
from tests.support.sentinel import SentinelGroup
from tests.support.server import Kind, ValkeyServer, free_port

RULES = Rules(stale_after_seconds=QUICK["stale_after_seconds"], max_attempts=3)
STORM_SECONDS_MAX = 90.0
GO_ON_SECONDS_MAX = 40.0
AWAY_SECONDS = 1.0
DETACHED_SECONDS = 0.7
UNCONFIRMED_SECONDS = 1.0
"""How far behind its primary a replica that follows it can be: generous."""


def crew_on(url: str, folder: Path, queue: str = "q") -> Crew:
    """A crew without members yet, under the shortest threshold."""
    return Crew(folder, url=url, queue=queue, policy=QUICK)


def add_all(crew: Crew, seed: int, **producing: Any) -> None:
    """Two supervisors with two children each, a lone worker, two janitors and a producer."""
    for batch in (1, 5):
        crew.add("supervisor", processes=2, batch=batch, grace_seconds=3.0)
    crew.add("worker", batch=2)
    for _ in range(2):
        crew.add("janitor")
    crew.add("producer", seed=seed, **{"per_second": 60.0, "longest_ms": 40} | producing)


def signals(folder: Path, kind: Kind, seed: int, *, kills: int = 200) -> Verdict:
    """SIGKILL, SIGSTOP and SIGTERM to anybody at random, until so many were killed."""
    with ValkeyServer(kind) as server, crew_on(server.url, folder) as crew, server.client() as client:
        storm = Storm(crew, seed, per_second=16)
        add_all(crew, seed)
        storm.rage(STORM_SECONDS_MAX, until=lambda: crew.kills.total() >= kills)
        return settle(crew, storm, client, QueueKeys("q"), RULES)


def points_of_children(folder: Path, kind: Kind, seed: int, *, target: int = 14) -> Verdict:
    """Children that end themselves at every named point of their loop, each so many times."""
    with ValkeyServer(kind) as server, crew_on(server.url, folder) as crew, server.client() as client:
        storm = Storm(crew, seed, per_second=0)
        rota = Rota(crew, target)
        rota.fill("supervisor", OF_CHILDREN, 3, processes=2, batch=4)
        crew.add("janitor")
        crew.add("producer", seed=seed, per_second=100.0, longest_ms=15, raising=0.2)
        return raged_at_points(crew, storm, rota, client)


def points_of_daemons(folder: Path, kind: Kind, seed: int, *, target: int = 2) -> Verdict:
    """Supervisors, lone workers and janitors that end themselves at every named point of theirs."""
    strikes = (Strike(5, "child", "SIGKILL"), Strike(3, "worker", "SIGTERM"), Strike(1, "worker", "SIGKILL"))
    with ValkeyServer(kind) as server, crew_on(server.url, folder) as crew, server.client() as client:
        storm = Storm(crew, seed, per_second=3, strikes=strikes)
        rota = Rota(crew, target)
        rota.fill("supervisor", OF_SUPERVISORS, 2, processes=2, batch=2)
        rota.fill("worker", OF_WORKERS, 4)
        rota.fill("janitor", OF_JANITORS, 2)
        crew.add("producer", seed=seed, per_second=40.0, longest_ms=30, raising=0.1)
        return raged_at_points(crew, storm, rota, client)


def raged_at_points(crew: Crew, storm: Storm, rota: Rota, client: Any) -> Verdict:
    """Let every point have its turn, and name those as faults that were not reached."""
    storm.rage(STORM_SECONDS_MAX, rota.turn, until=lambda: not rota.missing())
    missing = [f"the point {point} was not reached often enough" for point in rota.missing()]
    verdict = settle(crew, storm, client, QueueKeys("q"), RULES)
    verdict.faults += missing
    return verdict


def server_deaths(folder: Path, kind: Kind, seed: int, *, deaths: int = 4) -> Verdict:
    """SIGKILL to a server that logs every change before it answers; it is back after a second."""
    options = {"appendonly": "yes", "appendfsync": "always"}
    with (
        ValkeyServer(kind, **options) as server,
        crew_on(server.url, folder) as crew,
        server.client() as client,
    ):
        storm = Storm(crew, seed, per_second=3)
        add_all(crew, seed, per_second=100.0)
        go_on(crew, storm)
        for _ in range(deaths):
            storm.rage(1.5)
            since = time.monotonic()
            server.kill()
            storm.rage(AWAY_SECONDS)
            server.start()
            crew.journal.write("outage", since)
        storm.rage(1.0)
        return settle(crew, storm, client, QueueKeys("q"), RULES)


def failovers(folder: Path, kind: Kind, seed: int, *, switches: int = 3) -> Verdict:
    """The command FAILOVER under load: the replica has everything when it takes over."""
    with ExitStack() as stack:
        pair = stack.enter_context(ReplicaPair(kind))
        way = stack.enter_context(Proxy(pair.primary.port))
        crew = stack.enter_context(crew_on(way.url, folder))
        storm = Storm(crew, seed, per_second=2)
        add_all(crew, seed)
        go_on(crew, storm)
        for _ in range(switches):
            storm.rage(1.0)
            since = time.monotonic()
            pair.failover()
            way.lead_to(pair.primary.port)
            crew.journal.write("outage", since)
            pair.wait_in_step()
        client = stack.enter_context(pair.client())
        return settle(crew, storm, client, QueueKeys("q"), RULES)


def forgetful_switches(folder: Path, kind: Kind, seed: int, *, switches: int = 3) -> Verdict:
    """A replica that is cut off for a while takes over from a primary that dies with what it alone knew."""
    with ExitStack() as stack:
        pair = stack.enter_context(ReplicaPair(kind))
        way = stack.enter_context(Proxy(pair.primary.port))
        crew = stack.enter_context(crew_on(way.url, folder))
        storm = Storm(crew, seed, per_second=2)
        add_all(crew, seed, replicas=1)
        primary, replica = pair.servers
        go_on(crew, storm)
        for _ in range(switches):
            storm.rage(1.0)
            since = time.monotonic()
            with replica.client() as client:
                client.replicaof("127.0.0.1", free_port())
            storm.rage(DETACHED_SECONDS)
            primary.kill()
            with replica.client() as client:
                client.replicaof("NO", "ONE")
            way.lead_to(replica.port)
            crew.journal.write("loss", since)
            primary, replica = replica, primary
            follow(replica, primary)
        client = stack.enter_context(primary.client())
        return settle(crew, storm, client, QueueKeys("q"), RULES)


def follow(server: ValkeyServer, primary: ValkeyServer) -> None:
    """Start a dead server, empty, as a replica of another."""
    server.options["replicaof"] = f"127.0.0.1 {primary.port}"
    server.start()
    wait_until(lambda: is_in_step(primary, server), 20, "the new replica is in step")


def sentinel_switch(folder: Path, kind: Kind, seed: int) -> Verdict:
    """Sentinels put the replica in the place of a primary that was killed."""
    with SentinelGroup(kind) as group, crew_on(group.url, folder) as crew:
        storm = Storm(crew, seed, per_second=2)
        add_all(crew, seed, replicas=1)
        go_on(crew, storm)
        since = time.monotonic() - UNCONFIRMED_SECONDS
        dead = group.kill()
        group.wait_for_switch(dead)
        crew.journal.write("loss", since)
        # WAIT confirms nothing before there is a replica again.
        dead.start()
        go_on(crew, storm)
        with group.client() as client:
            return settle(crew, storm, client, QueueKeys("q"), RULES)


def cluster_switch(folder: Path, kind: Kind, seed: int) -> Verdict:
    """A cluster of three primaries loses the one that owns the queue's slot; its replica takes over."""
    queue = QueueKeys("{jobs}")
    with Cluster(kind) as cluster, crew_on(cluster.url, folder, "{jobs}") as crew:
        storm = Storm(crew, seed, per_second=2)
        add_all(crew, seed, replicas=1)
        go_on(crew, storm)
        since = time.monotonic() - UNCONFIRMED_SECONDS
        dead = cluster.kill(queue.pending)
        cluster.wait_for_switch(queue.pending, dead)
        crew.journal.write("loss", since)
        # WAIT confirms nothing before there is a replica again.
        dead.start()
        go_on(crew, storm)
        with cluster.owner(queue.pending).client() as client:
            return settle(crew, storm, client, queue, RULES)


def go_on(crew: Crew, storm: Storm) -> None:
    """Wait until thirty more jobs are stored."""
    crew.tend()
    before = crew.stored_count
    storm.rage(GO_ON_SECONDS_MAX, until=lambda: crew.stored_count >= before + 30)


TRIALS: dict[str, Callable[[Path, Kind, int], Verdict]] = {
    one.__name__: one
    for one in (
        signals, points_of_children, points_of_daemons, server_deaths, failovers, forgetful_switches,
        sentinel_switch, cluster_switch,
    )
}  # fmt: skip
"""All of them by name."""
