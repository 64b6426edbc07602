"""A console that reads while replies are lost: a page is right or an error, never another page's answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerAway
from dashboard.queue.policy import Policy
from tests.faults.every_reply import NEVER_SECONDS, for_every_reply
from tests.queue.running import Client
from tests.support.processes import wait_until
from tests.support.proxy import Fault, Proxy
from tests.support.standing_queue import QUEUE, W1, furnish

NAME = QUEUE.queue


def depths(read: Inspector) -> Any:
    (queue,) = read.overview().queues
    shown = queue.depths
    return queue.name, shown.pending, shown.delayed, shown.dead


def rows(read: Inspector, place: str) -> Any:
    shown = read.jobs(NAME, place)
    return [one.id_text for one in shown.rows], shown.total_count


def held(read: Inspector) -> Any:
    return sorted((one.name, one.held_count) for one in read.workers(NAME).rows)


Question = Callable[[Inspector], Any]
QUESTIONS: list[tuple[Question, Any]] = [
    (depths, (NAME, 3, 2, 2)),
    (held, [(b"w1", 2), (b"w2", 2)]),
    (lambda read: rows(read, "pending"), (["p1", "p2", "p3"], 3)),
    (lambda read: rows(read, "dead"), (["x2", "x1"], 2)),
    (lambda read: rows(read, "delayed"), (["d1", "d2"], 2)),
    (lambda read: sorted(rows(read, "processing")[0]), ["a1", "a2", "b1", "b2"]),
    (lambda read: read.trash(NAME).total_count, 1),
    (lambda read: read.job(NAME, None, "p2").place, "pending"),
    (lambda read: [row.id_text for row in read.queue(NAME).lists["dead"].rows], ["x2", "x1"]),
    (lambda read: len(read.reap_preview(NAME, W1).jobs), 2),
    (lambda read: read.shell().health is not None, True),
]


TOGETHER = 3
"""Pages of one history: each loss is a history of its own, and a shorter one is sooner through."""


@pytest.mark.parametrize("part", range(0, len(QUESTIONS), TOGETHER))
def test_every_page_is_right_or_an_error(proxy: Proxy, redis_client: Client, cut: Fault, part: int) -> None:
    def history() -> None:
        furnish(redis_client)
        connections = Connections.from_url(proxy.url)
        read = Inspector(
            connections.command(), defaults=Policy(), queues=[NAME], collect_every_seconds=NEVER_SECONDS
        )
        try:
            for question, expected in QUESTIONS[part : part + TOGETHER]:
                asked = partial(is_answered, read, question, expected)
                wait_until(asked, 3, f"{expected} is shown")
        finally:
            read.close()
            connections.close()

    for_every_reply(proxy, redis_client, cut, history, at_least=10)


def is_answered(read: Inspector, question: Question, expected: object) -> bool:
    """Whether a page shows what stands there, and not an error."""
    try:
        return bool(question(read) == expected)
    except ServerAway:
        return False
