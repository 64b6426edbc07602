"""S44: a server comes back without its last writes, and jobs that were acknowledged are listed again."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from dashboard.queue.job import Job
from dashboard.queue.keys import SETTLED, worker_field
from tests.queue.loops import W, running
from tests.queue.running import Client, Q, attempts, held, ids, pending, push
from tests.queue.test_lost_replies import Counted, is_empty
from tests.support.processes import wait_until
from tests.support.proxy import Proxy
from tests.support.replicas import ReplicaPair, role_of
from tests.support.server import Kind

KEYS = [Q.pending, Q.processing(W), Q.workers, Q.delayed, Q.dead]
STORED = worker_field(SETTLED, W)
TWIN = b'{"id":"twin","attempts":0}'


class Gated(Counted):
    """Counts runs; the job "gate" waits inside until it may go on."""

    def __init__(self, *failing: str) -> None:
        super().__init__(*failing)
        self.is_inside, self.may_go = threading.Event(), threading.Event()

    def __call__(self, job: Job) -> None:
        if job.id == "gate":
            self.is_inside.set()
            self.may_go.wait(30)
        if job.id in ("gate", "twin"):
            # Longer than finished jobs of a batch wait for their acknowledgement.
            threading.Event().wait(0.3)
        super().__call__(job)


def kept(client: Client) -> dict[bytes, bytes | None]:
    """What a replica has of the queue at this instant."""
    return {key: client.dump(key) for key in KEYS}


def set_back(client: Client, copy: dict[bytes, bytes | None], client_id: int) -> None:
    """End the worker's connection and put the queue back, in one step, as a failover to that replica does."""
    with client.pipeline(transaction=True) as step:
        step.execute_command("CLIENT", "KILL", "ID", client_id)
        for key, value in copy.items():
            step.delete(key)
            if value is not None:
                step.restore(key, 0, value)
        step.execute()


def acked(client: Client) -> int:
    return int(client.hget(Q.stats, "acked") or 0)


def enqueue_twins(client: Client) -> None:
    """Two equal jobs with another one between them, the first of which is acknowledged while they wait."""
    client.lpush(Q.pending, TWIN, b'{"id":"gate","attempts":0}', TWIN)


def test_S44_a_job_whose_acknowledgement_was_forgotten_is_acknowledged_again_and_not_run(
    redis_url: str, redis_client: Client
) -> None:
    handler = Gated()
    with running(redis_url, handler) as slot:
        push(redis_client, "gate")
        assert handler.is_inside.wait(10)
        copy = kept(redis_client)
        handler.may_go.set()
        wait_until(lambda: acked(redis_client) == 1, 10, "it is acknowledged")
        set_back(redis_client, copy, slot.client_id)
        assert ids(held(redis_client).get(W, [])) in (["gate"], [])
        wait_until(lambda: acked(redis_client) == 2 and is_empty(redis_client), 10, "and once more")
        push(redis_client, "next")
        wait_until(lambda: handler.runs["next"] and is_empty(redis_client), 10, "the loop goes on")
    assert handler.runs == {"gate": 1, "next": 1}


def test_S44_what_comes_back_while_a_worker_ends_is_given_back(redis_url: str, redis_client: Client) -> None:
    handler = Gated()
    with running(redis_url, handler) as slot:
        push(redis_client, "gate")
        assert handler.is_inside.wait(10)
        # The number is missing too, so that the finished job cannot be told from one that waits.
        set_back(redis_client, kept(redis_client) | {Q.workers: None}, slot.client_id)
        threading.Timer(0.3, handler.may_go.set).start()
    assert (ids(pending(redis_client)), attempts(pending(redis_client))) == (["gate"], [0])
    assert held(redis_client) == {}
    assert handler.runs == {"gate": 1}


@pytest.mark.parametrize("failing", [(), ("gate",)])
def test_S44_of_two_equal_jobs_only_the_acknowledged_one_is_acknowledged_again(
    redis_url: str, redis_client: Client, failing: tuple[str, ...]
) -> None:
    handler = Gated(*failing)
    enqueue_twins(redis_client)
    with running(redis_url, handler, batch=3) as slot:
        wait_until(lambda: len(held(redis_client).get(W, [])) == 3, 10, "all are claimed")
        copy = kept(redis_client)
        assert handler.is_inside.wait(10)
        assert (acked(redis_client), handler.runs["twin"]) == (1, 1)
        set_back(redis_client, copy, slot.client_id)
        assert ids(held(redis_client)[W]) == ["twin", "gate", "twin"]
        handler.may_go.set()
        wait_until(lambda: is_empty(redis_client), 10, "nothing is left")
    assert handler.runs == {"twin": 2, "gate": 1}
    # A failure notices the outage itself, and the settle after it learns what was forgotten.
    assert attempts(redis_client.zrange(Q.delayed, 0, -1)) == [1] * len(failing)
    assert not redis_client.exists(Q.dead)


def test_S44_where_the_number_is_missing_everything_listed_runs_again(
    redis_url: str, redis_client: Client
) -> None:
    handler = Gated()
    enqueue_twins(redis_client)
    with running(redis_url, handler, batch=3) as slot:
        wait_until(lambda: len(held(redis_client).get(W, [])) == 3, 10, "all are claimed")
        copy = kept(redis_client)
        assert handler.is_inside.wait(10)
        set_back(redis_client, copy | {Q.workers: None}, slot.client_id)
        assert not redis_client.hexists(Q.workers, STORED)
        handler.may_go.set()
        wait_until(lambda: is_empty(redis_client), 10, "nothing is left")
    assert handler.runs == {"twin": 3, "gate": 2}


def test_S44_a_server_that_forgets_twice_is_told_once_for_each_job(
    redis_url: str, redis_client: Client
) -> None:
    handler = Gated()
    enqueue_twins(redis_client)
    with running(redis_url, handler, batch=3) as slot:
        wait_until(lambda: len(held(redis_client).get(W, [])) == 3, 10, "all are claimed")
        copy = kept(redis_client)
        assert handler.is_inside.wait(10)
        handler.may_go.set()
        wait_until(lambda: is_empty(redis_client), 10, "all have run")
        for times in (1, 2):
            wait_until(lambda: slot.client_id, 5, "it is connected")
            set_back(redis_client, copy, slot.client_id)
            wait_until(lambda: is_empty(redis_client), 10, f"nothing is left after time {times}")
    assert handler.runs == {"twin": 2, "gate": 1}
    assert acked(redis_client) == 9


@pytest.fixture(params=["valkey", "redis"])
def pair(request: pytest.FixtureRequest) -> Iterator[ReplicaPair]:
    kind: Kind = request.param
    with ReplicaPair(kind) as both:
        yield both


def test_S44_after_the_primary_died_with_writes_that_its_replica_never_got(pair: ReplicaPair) -> None:
    (replica,) = pair.replicas
    handler = Gated()
    with Proxy(pair.primary.port) as proxy, pair.client() as primary, replica.client() as heir:
        push(primary, "gate", "later")
        with running(proxy.url, handler, batch=1):
            assert handler.is_inside.wait(10)
            pair.wait_in_step()
            # Nobody is there: the replica keeps what it has, and gets nothing more.
            heir.replicaof("127.0.0.1", 1)
            handler.may_go.set()
            wait_until(lambda: acked(primary) == 2, 10, "both are acknowledged")
            pair.kill()
            assert (ids(held(heir)[W]), ids(pending(heir)), acked(heir)) == (["gate"], ["later"], 0)
            heir.replicaof("NO", "ONE")
            wait_until(lambda: role_of(replica) == "master", 10, "the replica is the primary")
            proxy.lead_to(replica.port)
            wait_until(lambda: acked(heir) == 2 and is_empty(heir), 20, "nothing is left")
        assert not heir.exists(Q.dead, Q.delayed)
    # What was still in its list is remembered; what was pending again is run again.
    assert handler.runs == {"gate": 1, "later": 2}
