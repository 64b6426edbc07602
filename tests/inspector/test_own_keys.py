"""S47: keys of dedup keys and marks of done jobs are part of their queue, whatever they are made of."""

from __future__ import annotations

import pytest
import redis

from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.errors import ReservedName
from dashboard.queue.janitor import Janitor
from dashboard.queue.job import Job, decode
from dashboard.queue.keys import QueueKeys
from dashboard.queue.once import Once
from dashboard.queue.policy import Policy
from dashboard.queue.producer import Producer
from tests.support.keyspace import all_keys

ODD = [
    "pending",
    "x:pending",
    "processing:w",
    "a:delayed",
    "policy",
    "heartbeats",
    "{tag}",
    "dead\n",
    "%",
    "*",
]


@pytest.mark.parametrize("name", ["mail:dedup", "once", "dedup:x", "a:once:b"])
def test_S47_names_with_the_suffixes_of_these_keys_are_refused(name: str) -> None:
    with pytest.raises(ReservedName):
        QueueKeys(name)


def test_S47_keys_and_ids_that_look_like_parts_of_queues_make_none_for_console_and_janitor(
    redis_url: str, redis_client: redis.Redis, inspector: Inspector
) -> None:
    connections = Connections.from_url(redis_url)
    producer, ran = Producer(connections, "mail"), list[Job]()
    guarded = Once(ran.append, redis_url, "mail")
    for text in ODD:
        producer.enqueue(text, dedup=text)
        guarded(decode(b'{"id":%s}' % f'"{text}"'.encode().replace(b"\n", b"\\n")))
    kept = [key for key in all_keys(redis_client) if key.split(b":")[1] in (b"dedup", b"once")]
    assert len(kept) == 2 * len(ODD)
    assert all(len(key.split(b":")) == 3 for key in kept)
    assert [queue.name for queue in inspector.overview().queues] == [b"mail"]
    assert inspector.overview().queues[0].depths.pending == len(ODD)
    ticked = Janitor(connections, defaults=Policy()).tick()
    assert (ticked.queue_count, ticked.trouble_count) == (1, 0)
    assert [key for key in all_keys(redis_client) if key in kept] == kept
    connections.close()
