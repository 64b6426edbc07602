"""What the console's own user of Redis may not do, asked seldom and beside the pages.

Owns: when it is asked, and the finding about it. Refuses: to hold up a page, and to change anything: the
commands are queued and discarded.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dashboard.inspector.discovery import Discovery
from dashboard.inspector.reading import Reader
from dashboard.inspector.snapshots import Finding
from dashboard.queue.keys import QueueKeys
from dashboard.queue.permissions import Denied, Part, ask, needed_by

FRESH_SECONDS = 300.0
"""Rights change seldom; who has just mended them waits for five minutes, or starts the console anew."""

SHOWN = 6
"""Commands that the finding names."""


@dataclass(slots=True)
class PermissionDesk:
    """Asks with the keys of one queue: users of Redis are mostly allowed all of a console's queues alike."""

    reader: Reader
    discovery: Discovery
    _denied: Sequence[Denied] = ()
    _asked_at: float = float("-inf")

    def look(self) -> None:
        """Ask, unless the last answer is fresh or no queue is known yet. Raises ServerAway, ServerRefused."""
        names = self.discovery.named or tuple(self.discovery.names())
        if not names or self.reader.is_cluster or time.monotonic() - self._asked_at < FRESH_SECONDS:
            return
        self._asked_at = time.monotonic()
        self._denied = ask(self.reader.client, QueueKeys.found(names[0]), needed_by(Part.CONSOLE))

    def findings(self) -> Iterator[Finding]:
        """Return what is off or refused for want of permission."""
        refused = [one for one in self._denied if not one.needed.without]
        if refused:
            yield Finding(
                "note", None, "denied", f"Redis does not allow this console {_names(refused)}",
                "What needs it is refused, and nothing moves. docs/security.md lists every command.", None,
            )  # fmt: skip
        missed = [one for one in self._denied if one.needed.without]
        if missed:
            off = "; ".join(dict.fromkeys(one.needed.without for one in missed))
            yield Finding(
                "note", None, "off", f"This console works without {_names(missed)}",
                f"Redis does not allow it, so {off}.", None,
            )  # fmt: skip


def _names(denied: Sequence[Denied]) -> str:
    names = list(dict.fromkeys(one.needed.command for one in denied))
    more = f" and {len(names) - SHOWN} more commands" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
