"""The jobs of the scene: orders, mails, webhooks, reports and thumbnails, as their producers write them.

Owns: bytes. Every generator takes the server's time `now` in unix seconds, how many jobs, the number of the
first id, and how often they have failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

FAILURES = (
    ("ConnectTimeout: hooks.partner.example:443 after 10.{n} s", 231),
    ('HTTPError: 422 from /v2/events: unknown field "tax_{n}"', 64),
)
TRACEBACK = 'Traceback (most recent call last):\n  File "hooks.py", line 41, in deliver\n'
UNREADABLE = b"\x80\x04\x95\xff\xfe"


def written(members: dict[str, object], attempts: int) -> bytes:
    """A job's bytes, the counter last."""
    return json.dumps({**members, "attempts": attempts}).encode()


def orders(now: float, count: int, first: int = 88200, attempts: int = 0) -> Iterator[bytes]:
    """Orders to be charged, the oldest first."""
    for n in range(first, first + count):
        payload = {
            "order": n,
            "customer": 4000 + n % 613,
            "amount_cents": 990 + n * 37 % 19000,
            "currency": "EUR",
        }
        at = now - 212 + (n - first) * 212 / max(count, 1)
        failed = {"error": "CardDeclined: issuer unavailable", "failed_at": at} if attempts else {}
        yield written({**failed, "id": f"ord-{n}", "enqueued_at": round(at, 3), "payload": payload}, attempts)


def mails(now: float, count: int, first: int = 91000, attempts: int = 0) -> Iterator[bytes]:
    """Mails to be sent."""
    for n in range(first, first + count):
        payload = {"to": f"user{n % 977}@example.org", "template": ("welcome", "receipt", "digest")[n % 3]}
        at = now - 14 + (n - first) * 14 / max(count, 1)
        failed = {"error": "SMTPServerBusy: 451 try again later", "failed_at": at} if attempts else {}
        yield written({**failed, "id": f"m-{n}", "enqueued_at": round(at, 3), "payload": payload}, attempts)


def webhooks(now: float, count: int, first: int = 56000, attempts: int = 0) -> Iterator[bytes]:
    """Calls to a partner."""
    for n in range(first, first + count):
        payload = {"url": "https://hooks.partner.example/v2/events", "event": "invoice.paid", "invoice": n}
        at = now - 6 + (n - first) * 6 / max(count, 1)
        failed = {"error": FAILURES[0][0].format(n=n % 10), "failed_at": at} if attempts else {}
        yield written({**failed, "id": f"wh-{n}", "enqueued_at": round(at, 3), "payload": payload}, attempts)


def webhook_dead(now: float, count: int) -> Iterator[bytes]:
    """Calls that failed too often, oldest death first, and a few entries that were never JSON."""
    for n in range(count):
        age = 2 + (count - n - 1) * 7
        if n % 19 == 14:
            yield UNREADABLE + b"%d" % n
            continue
        error, _ = FAILURES[1 if n % 5 == 3 else 0]
        url = "https://api.shop.example/hook" if n % 5 == 3 else "https://hooks.partner.example/v2/events"
        payload = {"url": url, "event": "invoice.paid", "invoice": 8000 + n, "total": 12345678901234567890}
        head = {"error": error.format(n=n % 10), "failed_at": round(now - age, 3), "worker": "app-3:120:4400"}
        trace = f"{TRACEBACK}{head['error']}"
        yield written({**head, "traceback": trace, "id": f"wh-{55000 + n}", "payload": payload}, 4)


def reports(now: float, count: int, first: int = 202411, attempts: int = 0) -> Iterator[bytes]:
    """Reports of a month, a long job each."""
    for n in range(first, first + count):
        at = now - 40 + (n - first) * 40 / max(count, 1)
        payload = {"month": n, "format": "pdf"}
        yield written({"id": f"r-{n}", "enqueued_at": round(at, 3), "payload": payload}, attempts)


def thumbnails(now: float, count: int, first: int = 7000, attempts: int = 0) -> Iterator[bytes]:
    """Small pictures."""
    for n in range(first, first + count):
        payload = {"image": f"img/{n}.jpeg", "sizes": [64, 256, 1024]}
        yield written({"id": f"t-{n}", "enqueued_at": round(now - 1, 3), "payload": payload}, attempts)
