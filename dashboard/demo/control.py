"""The demo's ear: a loopback port on which the console asks for processes and sends them signals.

Owns: the port, the word that a question must begin with, and the little language: one JSON line a question,
one JSON line an answer; names travel as hexadecimal. Refuses: whoever does not know the word, every signal
but three, and every process that the demo did not start.

A port and not a Unix socket: the path of one in a long temporary folder is over the kernel's limit.
"""

from __future__ import annotations

import hmac
import json
import secrets
import signal
import socketserver
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

SIGNALS: Final = {
    "SIGKILL": signal.SIGKILL,
    "freeze": signal.SIGSTOP,
    "thaw": signal.SIGCONT,
}
LINE_BYTES_MAX: Final = 4096
WORD_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Listed:
    """A worker process of the demo: names as hexadecimal of their bytes, and whether SIGSTOP holds it."""

    queue: str
    worker: str
    pid: int
    frozen: bool


class Control:
    """Answers from a thread until it is closed. `address` is what the console needs: port and word.

    `listed` returns the workers of the demo; `send(worker, signal)` signals one and tells
    whether it was there.
    """

    def __init__(
        self,
        listed: Callable[[], list[Listed]],
        send: Callable[[bytes, signal.Signals], bool],
    ) -> None:
        self._listed, self._send = listed, send
        self._server = _Server(("127.0.0.1", 0), _Talk)
        self._server.control = self
        self._word = secrets.token_hex(WORD_BYTES)
        self.address = f"{self._server.server_address[1]}:{self._word}"
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="control", daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, line: bytes) -> dict[str, object]:
        """Answer one question; what makes no sense is told so."""
        try:
            question = json.loads(line)
            if not hmac.compare_digest(str(question["word"]).encode(), self._word.encode()):
                return {"error": "not allowed"}
            if question["ask"] == "processes":
                return {"processes": [asdict(one) for one in self._listed()]}
            if question["ask"] == "signal":
                sent = self._send(bytes.fromhex(question["worker"]), SIGNALS[question["what"]])
                return {"sent": sent}
        except (ValueError, KeyError, TypeError, UnicodeError):
            pass
        return {"error": "not understood"}


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    control: Control


class _Talk(socketserver.StreamRequestHandler):
    timeout = 5
    server: _Server

    def handle(self) -> None:
        line = self.rfile.readline(LINE_BYTES_MAX)
        if line:
            self.wfile.write(json.dumps(self.server.control.answer(line)).encode() + b"\n")
