"""What views work with: the inspector that reads, and an operator for whoever asks.

Owns: wiring both from the settings and a factory of clients. Refuses: to connect; building them talks to
nobody, so the console starts without Redis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import current_app, g

from dashboard.actions.operator import Operator
from dashboard.actions.roles import Actor
from dashboard.inspector import Inspector
from dashboard.queue.connections import ClientFactory, Connections
from dashboard.queue.policy import Policy
from dashboard.redis_client import describe
from dashboard.settings import Settings
from dashboard.web.demo_hook import DemoHook


@dataclass(frozen=True, slots=True)
class Services:
    """One per application; all threads share it."""

    settings: Settings
    inspector: Inspector
    operator_for: Callable[[Actor], Operator]
    server_label: str
    demo: DemoHook | None

    @classmethod
    def build(cls, settings: Settings, factory: ClientFactory, demo: DemoHook | None) -> Services:
        """Wire them."""
        connections = Connections(factory)
        defaults = default_policy(settings)
        label = describe(settings.redis_url)
        inspector = Inspector(
            connections.command(),
            defaults=defaults,
            queues=list(settings.queues),
            server_label=label,
            page_size=settings.page_size,
        )

        def operator_for(actor: Actor) -> Operator:
            return Operator(
                connections.command(),
                inspector=inspector,
                defaults=defaults,
                trash_count=settings.trash_count,
                actor=actor,
            )

        return cls(settings, inspector, operator_for, label, demo)


def default_policy(settings: Settings) -> Policy:
    """The policy of a queue that has none of its own."""
    return Policy(
        stale_after_seconds=settings.stale_after_seconds,
        beat_seconds=settings.beat_seconds,
        max_attempts=settings.max_attempts,
        reaping=settings.reaping,
        adopt_orphans=settings.adopt_orphans,
    )


def services() -> Services:
    """Those of the application that answers the current request."""
    found: Services = current_app.extensions["watchkeeper.services"]
    return found


def inspector() -> Inspector:
    """Reads for the current request."""
    return services().inspector


def operator() -> Operator:
    """Acts in the name of whoever sent the current request."""
    return services().operator_for(g.actor)
