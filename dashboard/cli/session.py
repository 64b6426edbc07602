"""What a command works with: the settings, and from them the clients, the reader and the acts.

Owns: building each of them once, when first asked for. Refuses: to read the environment twice.
"""

from __future__ import annotations

import getpass
import os
import socket
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import click

from dashboard.queue.connections import Connections
from dashboard.queue.factory import ServerFactory
from dashboard.queue.policy import Policy
from dashboard.redis_client import factory_of
from dashboard.settings import Settings

if TYPE_CHECKING:
    from dashboard.actions.operator import Operator
    from dashboard.inspector import Inspector


@dataclass
class Session:
    """One run of the command line. `redis_url` "" means the one of the settings."""

    redis_url: str = ""
    _ending: ExitStack = field(default_factory=ExitStack, init=False, repr=False)

    @cached_property
    def settings(self) -> Settings:
        """The settings of the environment, with the URL of the command line; raises SettingsError."""
        settings = Settings.from_environ(os.environ)
        return replace(settings, redis_url=self.redis_url) if self.redis_url else settings

    @cached_property
    def factory(self) -> ServerFactory:
        """Makes the clients."""
        return factory_of(self.settings)

    @property
    def server(self) -> str:
        """The address of the server that the command asked, without its password; "" when it asked none."""
        return self.factory.address if "factory" in vars(self) else ""

    @cached_property
    def connections(self) -> Connections:
        """The clients by role."""
        connections = Connections(self.factory)
        self._ending.callback(connections.close)
        return connections

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

    # Reader and acts are imported when they are asked for: workers and janitors never are.

    @cached_property
    def reader(self) -> Inspector:
        """The reader with pages of the usual size; it remembers since when it has seen each heartbeat."""
        return self.inspector(self.settings.page_size)

    def inspector(self, page_size: int) -> Inspector:
        """A reader with pages of a size."""
        from dashboard.inspector import Inspector

        settings = self.settings
        inspector = Inspector(
            self.connections.command(),
            defaults=self.defaults,
            queues=list(settings.queues),
            server_label=self.factory.address,
            page_size=page_size,
        )
        self._ending.callback(inspector.close)
        return inspector

    def operator(self, name: str) -> Operator:
        """The acts, by an administrator of that name: whoever can reach Redis can do all of them anyway."""
        from dashboard.actions.operator import Operator
        from dashboard.actions.roles import Actor, Role

        return Operator(
            self.connections.command(),
            inspector=self.reader,
            defaults=self.defaults,
            trash_count=self.settings.trash_count,
            actor=Actor(name, Role.ADMIN),
        )

    def close(self) -> None:
        """End what was built. Safe to call again."""
        self._ending.close()


def whoami() -> str:
    """Return "user@host", the name that acts are recorded under."""
    try:
        user = os.environ.get("USER", "").strip() or getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


pass_session = click.make_pass_decorator(Session)
