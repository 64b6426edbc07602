"""An operator whose acts' replies are lost: done again by the same form, each act has happened once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.actions.operator import Operator
from dashboard.actions.outcome import Outcome
from dashboard.actions.roles import Actor, Role
from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.errors import ServerError
from dashboard.queue.job import digest
from dashboard.queue.policy import Policy
from tests.actions.as_shown import MAIL, act_id, fill, ids, job, row
from tests.faults.every_reply import NEVER_SECONDS, for_every_reply
from tests.queue.running import Client
from tests.support.proxy import Fault, Proxy

TRIES = 4
NO_JOB = b"not json"


class Desk:
    """An operator behind the proxy who clicks again when the page says that the server was away."""

    def __init__(self, proxy: Proxy) -> None:
        self._connections = Connections.from_url(proxy.url)
        client = self._connections.command()
        self._inspector = Inspector(client, defaults=Policy(), collect_every_seconds=NEVER_SECONDS)
        self.operator = Operator(
            client,
            inspector=self._inspector,
            defaults=Policy(),
            trash_count=1000,
            actor=Actor("ann", Role.OPERATOR),
        )
        self.trouble_count = 0

    def again_and_again(self, act: Callable[[Operator], Outcome]) -> Outcome:
        """Do one act until it is answered."""
        for _ in range(TRIES):
            try:
                return act(self.operator)
            except ServerError:
                self.trouble_count += 1
        raise AssertionError("the act is never answered")

    def close(self) -> None:
        """End its thread and connections."""
        self._inspector.close()
        self._connections.close()


def test_every_act_on_jobs_happens_once(proxy: Proxy, redis_client: Client, cut: Fault) -> None:
    def history() -> None:
        client = redis_client
        now = client.time()[0]
        fill(client, MAIL.dead, [job("x1"), job("x2"), job("x2"), job("x3")])
        fill(client, MAIL.pending, [job("p1", attempts=0)])
        client.zadd(MAIL.delayed, {job("d1"): now - 9, job("d2"): now + 3600, job("d3"): now + 7200})
        desk = Desk(proxy)
        retried, discarded = row(client, "dead", job("x2")), row(client, "dead", job("x1"))
        promoted, due = row(client, "delayed", job("d2")), act_id()
        desk.again_and_again(lambda one: one.retry(b"mail", [retried]))
        desk.again_and_again(lambda one: one.discard(b"mail", [discarded]))
        ((trash_id, _),) = client.xrange(MAIL.trash)
        back = act_id()
        desk.again_and_again(lambda one: one.restore(b"mail", trash_id.decode(), back))
        desk.again_and_again(lambda one: one.promote(b"mail", [promoted]))
        desk.again_and_again(lambda one: one.promote_due(b"mail", due, 10))
        desk.close()
        assert desk.trouble_count == proxy.lost_count
        assert sorted(map(str, ids(client.lrange(MAIL.dead, 0, -1)))) == ["x1", "x2", "x3"]
        assert ids(client.lrange(MAIL.pending, 0, -1)) == ["d1", "p1", "x2", "d2"]
        assert ids(client.zrange(MAIL.delayed, 0, -1)) == ["d3"]
        assert client.xlen(MAIL.trash) == 0

    for_every_reply(proxy, redis_client, cut, history, at_least=10)


def test_every_act_on_whole_lists_happens_once(proxy: Proxy, redis_client: Client, cut: Fault) -> None:
    def history() -> None:
        client = redis_client
        fill(client, MAIL.dead, [NO_JOB, *(job(f"x{n}") for n in range(450))])
        desk, acts = Desk(proxy), [act_id() for _ in range(2)]
        desk.again_and_again(lambda one: one.pause(b"mail", acts[0]))
        assert client.hget(MAIL.policy, "paused") == b"1"
        desk.again_and_again(lambda one: one.resume(b"mail", acts[1]))
        while (dead := client.lrange(MAIL.dead, 0, -1)) != [NO_JOB]:
            # The page was drawn anew: what an act whose answer was lost did is no longer on it.
            desk.again_and_again(retry_of_all_shown(dead))
        desk.close()
        assert ids(client.lrange(MAIL.pending, 0, -1)[::-1]) == [f"x{n}" for n in range(450)]
        assert client.hget(MAIL.policy, "paused") in (None, b"0")
        assert client.hget(MAIL.stats, "retried") == b"450"

    for_every_reply(proxy, redis_client, cut, history, at_least=8)


@pytest.mark.parametrize("all_stale", [False, True])
def test_every_worker_is_reaped_once(proxy: Proxy, redis_client: Client, cut: Fault, all_stale: bool) -> None:
    def history() -> None:
        client = redis_client
        now = client.time()[0]
        client.lpush(MAIL.processing(b"stale"), job("a", attempts=0), job("b", attempts=3))
        client.hset(MAIL.heartbeats, "stale", now - 600)
        client.hset(MAIL.watch, "stale", f"{now - 600} {now} {now - 600}")
        client.hset(MAIL.policy, "managed", "1")
        desk, act, seen = Desk(proxy), act_id(), b"%d" % (now - 600)
        if all_stale:
            desk.again_and_again(lambda one: one.reap_stale(b"mail", act))
        else:
            desk.again_and_again(lambda one: one.reap(b"mail", b"stale", seen, act))
        desk.close()
        assert client.lrange(MAIL.pending, 0, -1) == [job("a", attempts=1)]
        assert client.lrange(MAIL.dead, 0, -1) == [job("b", attempts=4)]
        assert not client.exists(MAIL.processing(b"stale"), MAIL.heartbeats)
        assert client.hget(MAIL.stats, "reaped") == b"1"

    for_every_reply(proxy, redis_client, cut, history, at_least=10)


def retry_of_all_shown(dead: list[bytes]) -> Callable[[Operator], Outcome]:
    """The act of a page that shows these dead jobs, newest first."""
    act: Any = act_id()
    return lambda one: one.retry_all(b"mail", len(dead), digest(dead[0]), act)
