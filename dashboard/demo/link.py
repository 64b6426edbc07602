"""The console's line to the demo: asks over a loopback port for its workers, and has them signalled.

Owns: one short conversation a question. Refuses: to signal a process itself; the demo knows which are its
own, and answers for them.
"""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass, field
from typing import Any, Final

from dashboard.web.demo_hook import Signal

PATIENCE_SECONDS: Final = 2.0
ANSWER_BYTES_MAX: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Link:
    """What `create_app(…, demo=…)` gets in a demo. `address` is that of the demo's `Control`."""

    address: str = field(repr=False)

    def processes(self) -> frozenset[bytes]:
        """Return the names of the workers that run in processes of the demo; none when it does not answer."""
        try:
            listed = self._ask({"ask": "processes"})["processes"]
            return frozenset(bytes.fromhex(one["worker"]) for one in listed)
        except (OSError, ValueError, KeyError, TypeError):
            return frozenset()

    def signal(self, worker: bytes, what: Signal) -> None:
        """Have a worker signalled; LookupError when the demo has none of that name, or is gone itself."""
        try:
            sent = self._ask({"ask": "signal", "worker": worker.hex(), "what": what}).get("sent")
        except (OSError, ValueError):
            sent = False
        if not sent:
            raise LookupError(worker)

    def _ask(self, question: dict[str, str]) -> dict[str, Any]:
        port, _, word = self.address.partition(":")
        with socket.create_connection(("127.0.0.1", int(port)), PATIENCE_SECONDS) as line:
            line.sendall(json.dumps(question | {"word": word}).encode() + b"\n")
            with line.makefile("rb") as answer:
                told: dict[str, Any] = json.loads(answer.readline(ANSWER_BYTES_MAX))
                return told
