"""What a command works with: the settings, and from them the clients, the reader and the acts.

Owns: building each of them once, when first asked for. Refuses: to read the environment twice.
"""

from __future__ import annotations

import getpass
import os
import socket
from dataclasses import dataclass, replace
from functools import cached_property

import click

from dashboard.actions.operator import Operator
from dashboard.actions.roles import Actor, Role
from dashboard.inspector import Inspector
from dashboard.queue.connections import Connections
from dashboard.queue.policy import Policy
from dashboard.redis_client import ClientFactory
from dashboard.settings import Settings


@dataclass
class Session:
    """One run of the command line. `redis_url` "" means the one of the settings."""

    redis_url: str = ""

    @cached_property
    def settings(self) -> Settings:
        """The settings of the environment, with the URL of the command line; raises SettingsError."""
        settings = Settings.from_environ(os.environ)
        return replace(settings, redis_url=self.redis_url) if self.redis_url else settings

    @cached_property
    def factory(self) -> ClientFactory:
        """Makes the clients."""
        return ClientFactory.from_settings(self.settings)

    @cached_property
    def connections(self) -> Connections:
        """The clients by role."""
        return Connections(self.factory)

    @property
    def defaults(self) -> Policy:
        """The policy of a queue that has none of its own."""
        settings = self.settings
        return Policy(
            stale_after_seconds=settings.stale_after_seconds,
            beat_seconds=settings.beat_seconds,
            max_attempts=settings.max_attempts,
            reaping=settings.reaping,
            adopt_orphans=settings.adopt_orphans,
        )

    def inspector(self, page_size: int | None = None) -> Inspector:
        """The reader."""
        settings = self.settings
        return Inspector(
            self.connections.command(),
            defaults=self.defaults,
            queues=list(settings.queues),
            server_label=self.factory.address,
            page_size=page_size or settings.page_size,
        )

    def operator(self, name: str) -> Operator:
        """The acts, by an administrator of that name: whoever can reach Redis can do all of them anyway."""
        return Operator(
            self.connections.command(),
            inspector=self.inspector(),
            defaults=self.defaults,
            trash_count=self.settings.trash_count,
            actor=Actor(name, Role.ADMIN),
        )


def whoami() -> str:
    """Return "user@host", the name that acts are recorded under."""
    try:
        user = os.environ.get("USER", "").strip() or getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


pass_session = click.make_pass_decorator(Session)
