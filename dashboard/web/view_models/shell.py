"""What surrounds every page: the rail, the bar, who is looking.

Owns: the shape of the frame. Refuses: to count anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED, Link, Notice


@dataclass(frozen=True, slots=True)
class QueueLink:
    """A queue in the rail."""

    label: str
    href: str
    current: bool
    count: int | None
    """Jobs pending; None when not known."""
    alarm: bool


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is signed in."""

    name: str
    role: str
    """viewer | operator | admin"""


@dataclass(frozen=True, slots=True)
class Region:
    """What the macro `live` needs of the region that polls."""

    href: str
    poll_seconds: float
    """0: it does not poll."""
    tag: str
    as_of: datetime | None


@dataclass(frozen=True, slots=True)
class Shell:
    """The frame. On pages without a server behind them (sign-in, Redis away) nav and queues may be empty."""

    environment: str
    """"production"; empty: no badge."""
    server_label: str
    """"redis-prod-2:6379/0", never with a password."""
    server_facts: tuple[str, ...]
    """"Valkey 9.1 · AOF everysec", "1.2 GB of 8 GB · noeviction" """
    home_href: str
    nav: tuple[Link, ...]
    queues: tuple[QueueLink, ...]
    more_count: int
    """Queues beyond those listed."""
    more_href: str
    viewer: Viewer | None
    sign_out_href: str
    """Where the sign-out form POSTs to; empty when there is no sign-in."""
    poll_seconds: float
    """Interval of the live regions; 0: they do not poll."""
    rail_href: str = ""
    """What the rail polls (`hx-target="#rail"`); the block `rail` of base.html answers."""
    as_of: datetime | None = field(default=None, metadata=UNTAGGED)
    """The server's clock when the page was read; None when it could not be read."""
    said: Notice | None = None
    """The outcome of the act that led here; stands outside of every region, so that no poll wipes it."""
    clean_href: str = ""
    """This page's address without the outcome, for reloads; empty: it is as it stands."""
