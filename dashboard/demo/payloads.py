"""What the demo's jobs carry: small, readable payloads of the kind that real queues hold.

Owns: the invention of payloads from a random source. Refuses: any real name, host or address; everything
ends in `.example`.
"""

from __future__ import annotations

from random import Random
from typing import Final

from dashboard.demo.handlers import NEVER, TWICE

PEOPLE: Final = ("ana", "bilal", "chiara", "dmitri", "esra", "finn", "grace", "hiro", "ines", "jonas")
TEMPLATES: Final = ("welcome", "receipt", "password-reset", "invoice", "weekly-digest")
REPORTS: Final = ("monthly-revenue", "churn-by-cohort", "stock-levels", "vat-summary", "slow-queries")
EVENTS: Final = ("order.paid", "order.refunded", "invoice.created", "customer.deleted", "parcel.shipped")
HOSTS: Final = ("hooks.shop.example", "hooks.shop.example", TWICE, "events.crm.example", NEVER)

Payload = dict[str, object]


def mail(chance: Random) -> Payload:
    """One mail to one person."""
    return {"to": f"{chance.choice(PEOPLE)}@mail.example", "template": chance.choice(TEMPLATES)}


def report(chance: Random) -> Payload:
    """One report for one customer."""
    return {"report": chance.choice(REPORTS), "customer": chance.randint(1000, 9999), "format": "pdf"}


def webhook(chance: Random, host: str = "") -> Payload:
    """One event for one host; without a `host` one in five goes to the host that is down."""
    host = host or chance.choice(HOSTS)
    return {
        "url": f"https://{host}/events",
        "event": chance.choice(EVENTS),
        "order": chance.randint(100_000, 999_999),
    }
