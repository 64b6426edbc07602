"""A producer whose replies are lost: an error means what it says, and no job is stored twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from dashboard.queue.connections import Connections
from dashboard.queue.errors import OutcomeUnknown, ServerAway
from dashboard.queue.producer import Producer
from tests.faults.every_reply import for_every_reply
from tests.queue.running import Client, Q, ids, pending
from tests.support.proxy import Fault, Proxy


def test_every_job_is_stored_once_or_the_error_says_that_it_is_not_known(
    proxy: Proxy, redis_client: Client, fault: Fault
) -> None:
    def history() -> None:
        connections = Connections.from_url(proxy.url)
        producer = Producer(connections, "q")
        surely, perhaps = set(), set()
        calls: list[tuple[str, Callable[[], object]]] = [
            ("a", lambda: producer.enqueue(1, id="a")),
            ("b", lambda: producer.enqueue(2, id="b")),
            ("later", lambda: producer.enqueue_in(3, 60, id="later")),
            ("then", lambda: producer.enqueue_at(4, 4_000_000_000, id="then")),
            ("c", lambda: producer.enqueue(5, id="c")),
        ]
        for name, call in calls:
            said = outcome_of(call)
            if said == "":
                surely.add(name)
            elif "It is not known whether 1 job(s) were enqueued to q." in said:
                perhaps.add(name)
            else:
                assert "Nothing was enqueued to q." in said
        connections.close()
        stored = Counter([*ids(pending(redis_client)), *ids(redis_client.zrange(Q.delayed, 0, -1))])
        assert set(stored.values()) == {1}
        assert surely <= set(stored) <= surely | perhaps
        assert len(surely) >= 5 - proxy.lost_count

    for_every_reply(proxy, redis_client, fault, history, at_least=7)


def test_of_many_jobs_the_error_tells_how_many_were_stored_before(
    proxy: Proxy, redis_client: Client, fault: Fault
) -> None:
    def history() -> None:
        connections = Connections.from_url(proxy.url)
        said = outcome_of(lambda: Producer(connections, "q").enqueue_many(range(250)))
        connections.close()
        stored = [json.loads(raw) for raw in pending(redis_client)]
        assert [job["payload"] for job in stored] == list(range(len(stored)))
        before = next((n for n in (200, 100) if f" {n} before were." in said), 0)
        if said == "":
            assert len(stored) == 250
        elif "It is not known" in said:
            sent = 50 if before == 200 else 100
            assert f"whether {sent} job(s) were enqueued to q." in said
            assert len(stored) in (before, before + sent)
        else:
            assert "Nothing was enqueued to q." in said
            assert stored == []

    for_every_reply(proxy, redis_client, fault, history, at_least=5)


def outcome_of(call: Callable[[], object]) -> str:
    """ "" when it went well, and otherwise what the error says."""
    try:
        call()
    except (OutcomeUnknown, ServerAway) as error:
        return str(error)
    return ""
