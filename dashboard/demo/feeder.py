"""Hands in the demo's jobs: a steady trickle of each kind, never more than the demo can work off.

Owns: rate and length of the three queues. Refuses: to add to a queue that is over its bound, and to go on
feeding when the ledger says rest.

Run as a program: `python -m dashboard.demo.feeder`, with REDIS_URL in the environment.
"""

from __future__ import annotations

import os
import signal
import threading
from random import Random
from typing import Final

import redis

from dashboard.demo import payloads
from dashboard.demo.handlers import NEVER
from dashboard.demo.ledger import Ledger
from dashboard.demo.payloads import Payload
from dashboard.demo.seeds import POLICIES
from dashboard.queue.connections import Connections
from dashboard.queue.errors import QueueError, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.keys import QueueKeys
from dashboard.queue.producer import Producer

ROUND_SECONDS: Final = 0.25
AWAY_SECONDS: Final = 1.0
MAIL_PENDING_MAX: Final = 40
MAILING_ROUNDS: Final = 60
MAILING_COUNT: Final = 25
"""A mailing now and then, so that pending is seen to rise and to be worked off."""
MAIL_DELAYED_MAX: Final = 12
MAIL_DELAY_SECONDS: Final = (20.0, 900.0)
REPORTS_PENDING: Final = 6
"""Reports are topped up to this many, so that their workers never run out and never fall far behind."""
WEBHOOKS_PENDING_MAX: Final = 20
WEBHOOKS_PER_ROUND: Final = 1 / 6
WEBHOOKS_DEAD_MAX: Final = 60
"""With this many dead letters no more jobs are made for the host that is down."""
FIRST_POISON_ROUNDS: Final = (2, 8)
"""Rounds that surely make a job for the host that is down, so that one reaches dead in the first minute."""


class Feeder:
    """One round every quarter of a second."""

    def __init__(self, url: str) -> None:
        factory = ServerFactory.from_url(url)
        self.client: redis.Redis = factory("command")
        self.ledger = Ledger(self.client)
        self.chance = Random()
        self.rounds = 0
        self.leaving = threading.Event()
        connections = Connections(factory)
        self.producers = {name: Producer(connections, name, defaults=POLICIES[name]) for name in POLICIES}

    def run(self) -> None:
        """Feed until SIGTERM; while Redis is away or full, wait."""
        while not self.leaving.wait(ROUND_SECONDS):
            try:
                with translated():
                    if self.ledger.may_feed():
                        self.feed()
            except QueueError:
                self.leaving.wait(AWAY_SECONDS)

    def feed(self) -> None:
        """Do one round over the three queues."""
        self.rounds += 1
        self.feed_mail()
        self.feed_reports()
        self.feed_webhooks()

    def feed_mail(self) -> None:
        """About four mails a second, now and then a whole mailing, and some for later."""
        keys = QueueKeys(b"mail")
        if self.client.llen(keys.pending) < MAIL_PENDING_MAX:
            is_mailing = self.rounds % MAILING_ROUNDS == 0
            for _ in range(MAILING_COUNT if is_mailing else self.chance.choice((0, 1, 1, 2))):
                self.hand_in(b"mail", payloads.mail(self.chance))
        if self.client.zcard(keys.delayed) < MAIL_DELAYED_MAX:
            self.hand_in(b"mail", payloads.mail(self.chance), self.chance.uniform(*MAIL_DELAY_SECONDS))

    def feed_reports(self) -> None:
        """As many reports as are missing."""
        missing = REPORTS_PENDING - self.client.llen(QueueKeys(b"reports").pending)
        for _ in range(missing):
            self.hand_in(b"reports", payloads.report(self.chance))

    def feed_webhooks(self) -> None:
        """About two calls every three seconds, one in five of them to the host that is down."""
        keys = QueueKeys(b"webhooks")
        if self.client.llen(keys.pending) >= WEBHOOKS_PENDING_MAX:
            return
        if self.rounds in FIRST_POISON_ROUNDS:
            self.hand_in(b"webhooks", payloads.webhook(self.chance, NEVER))
        elif self.chance.random() < WEBHOOKS_PER_ROUND:
            payload = payloads.webhook(self.chance)
            full = self.client.llen(keys.dead) >= WEBHOOKS_DEAD_MAX
            if not (full and NEVER in str(payload["url"])):
                self.hand_in(b"webhooks", payload)

    def hand_in(self, queue: bytes, payload: Payload, delay_seconds: float = 0) -> None:
        """Enqueue one job under an id of the ledger; a refused one is struck from it."""
        job_id = self.ledger.new_id(queue)
        try:
            if delay_seconds:
                self.producers[queue].enqueue_in(payload, delay_seconds, id=job_id)
            else:
                self.producers[queue].enqueue(payload, id=job_id)
        except QueueError:
            self.ledger.strike(queue, job_id)
            raise

    def leave(self, *_: object) -> None:
        """Handle SIGTERM."""
        self.leaving.set()


if __name__ == "__main__":
    feeder = Feeder(os.environ["REDIS_URL"])
    signal.signal(signal.SIGTERM, feeder.leave)
    feeder.run()
