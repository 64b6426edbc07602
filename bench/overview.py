"""The overview of 50 queues with 200 workers each.

Owns: the crowd, the count of round trips, and the processor time of the thread that answers. Refuses: to
count the collector, which makes one pass for all pages however many are asked for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import redis
from flask import Flask
from werkzeug.test import EnvironBuilder

from bench.figures import Figure, middle
from dashboard.queue.keys import QueueKeys
from dashboard.queue.policy import Policy
from dashboard.settings import Settings
from dashboard.web import create_app
from dashboard.web.services import Services
from tests.support.server import ValkeyServer

QUEUES = 50
WORKERS = 200
PAGES = 60
WARM_SECONDS = 8.0

trips = threading.local()
"""Round trips of each thread: the page's are told apart from the collector's."""


class CountedConnection(redis.Connection):
    """A connection that counts what it sends; each sending is one round trip, a pipeline too.

    What a new connection says to introduce itself belongs to no page and is not counted.
    """

    def on_connect_check_health(self, check_health: bool = True) -> None:
        """Introduce itself, uncounted."""
        before = getattr(trips, "count", 0)
        super().on_connect_check_health(check_health)
        trips.count = before

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        """Send, and count."""
        trips.count = getattr(trips, "count", 0) + 1
        super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]


def measure(server: ValkeyServer) -> list[Figure]:
    """The whole page as a browser asks for it, the region that it polls, and the read behind both."""
    with server.client() as client:
        crowd(client)
    settings = Settings(redis_url=server.url, environment="bench")
    app = create_app(settings, factory=lambda _role, _block_seconds=0.0: counted_client(server))
    services: Services = app.extensions["watchkeeper.services"]
    address = f"/{settings.server_name}/"
    page = request(app, address)
    poll = request(app, address, ("HX-Request", "true"), ("HX-Request-Type", "partial"))
    warm(services)
    bare = request(bare_app(), "/")
    whole, region, read, plain = (cost(ask) for ask in (page, poll, services.inspector.overview, bare))
    with server.client() as client:
        changed = cost(page, lambda: one_more_each(client))
    services.inspector.close()
    return [
        Figure("round trips for a page", whole[0], "", 3, "low"),
        Figure("processor time for a page", whole[1], "ms", 10, "low"),
        Figure("the same when every queue has changed since the last", changed[1], "ms"),
        Figure("processor time for a poll", region[1], "ms"),
        Figure("of these, for reading", read[1], "ms"),
        Figure("a bare Flask page with 50 rows, no Redis", plain[1], "ms"),
        Figure("the page beside the bare one", whole[1] / plain[1], "×"),
    ]


BARE_ROWS = """<!doctype html><title>Queues</title><table>
{% for row in rows %}<tr>{% for cell in row %}
<td class="num"><a href="/q/{{ cell }}" title="{{ cell }}">{{ cell }}</a></td>
{% endfor %}</tr>{% endfor %}</table>"""


def bare_app() -> Flask:
    """The least that shows as many cells: it tells how fast the machine is just now."""
    app = Flask("bare")
    template = app.jinja_env.from_string(BARE_ROWS)

    @app.get("/")
    def rows() -> str:
        return template.render(rows=[[f"{row} {cell}" for cell in range(9)] for row in range(QUEUES)])

    return app


def request(app: Flask, address: str, *headers: tuple[str, str]) -> Callable[[], None]:
    """Ask for a page the way a WSGI server does."""
    environ = EnvironBuilder(path=address, headers=headers).get_environ()

    def ask() -> None:
        said: list[object] = []

        def start(status: str, _headers: object, _info: object = None) -> Callable[[bytes], object]:
            said.append(status)
            return said.append

        body = app(dict(environ), start)
        assert b"".join(body)
        assert said == ["200 OK"], said

    return ask


def cost(ask: Callable[[], object], before: Callable[[], object] = bool) -> tuple[float, float]:
    """The most round trips that one of many pages took, and the middle of their milliseconds.

    `before` runs ahead of each page and is not counted.
    """
    ask()
    sent, spent = [], []
    for _ in range(PAGES):
        before()
        trips.count = 0
        started = time.thread_time()
        ask()
        spent.append((time.thread_time() - started) * 1000)
        sent.append(trips.count)
    return max(sent), middle(spent)


def counted_client(server: ValkeyServer) -> redis.Redis:
    """A client whose connections count."""
    return redis.Redis(
        connection_pool=redis.ConnectionPool(
            connection_class=CountedConnection, host="127.0.0.1", port=server.port, protocol=2
        )
    )


def warm(services: Services) -> None:
    """Look until the collector has seen every worker."""
    give_up_at = time.monotonic() + WARM_SECONDS
    while time.monotonic() < give_up_at:
        if services.inspector.overview().worker_total == QUEUES * WORKERS:
            return
        time.sleep(0.1)
    raise AssertionError("the collector did not see all workers")


def crowd(client: redis.Redis) -> None:
    """Every worker beats and holds a job; every queue has jobs that wait, and every tenth has dead ones."""
    now = client.time()[0]
    for queue in range(QUEUES):
        keys = QueueKeys(f"queue-{queue:02d}")
        pipe = client.pipeline(transaction=False)
        pipe.hset(
            keys.policy, items=[part for pair in Policy(managed=True).to_hash().items() for part in pair]
        )
        for worker in range(WORKERS):
            name = b"host-%d:%d:%04x" % (worker % 7, 1000 + worker, worker)
            pipe.hset(keys.heartbeats, name, b"%d" % (now - worker % 5))
            pipe.lpush(keys.processing(name), job(worker))
        pipe.lpush(keys.pending, *(job(number) for number in range(50)))
        if queue % 10 == 0:
            pipe.lpush(keys.dead, *(job(number) for number in range(20)))
        pipe.zadd(keys.delayed, {job(number): now + 3600 + number for number in range(20)})
        pipe.execute()


def one_more_each(client: redis.Redis) -> None:
    """Let one more job wait in every queue."""
    pipe = client.pipeline(transaction=False)
    for queue in range(QUEUES):
        pipe.lpush(QueueKeys(f"queue-{queue:02d}").pending, job(0))
    pipe.execute()


def job(number: int) -> bytes:
    """A small job."""
    return b'{"id":%d,"payload":{"n":%d},"attempts":0}' % (number, number)
