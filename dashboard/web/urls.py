"""Every address of the console, built by string: a page has thousands.

Owns: the shape of all addresses and the ids of elements. Refuses: to look at a request but for its prefix.
Routes in `views/` say the same shapes; a test follows every one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from dashboard.web.tokens import token

if TYPE_CHECKING:
    from dashboard.queue.address import Address

OWN: Final = "/-"
"""What belongs to the console and not to a server; no server's slug begins so."""

OUTCOME_NAMES: Final = frozenset({"did", "moved", "dead", "gone", "unreadable", "alive", "left", "newer"}) | {
    "again", "first", "by", "undo", "to",
}  # fmt: skip
"""Names in the query that tell an outcome (`outcomes`); addresses to come back to have none of them."""


@dataclass(frozen=True, slots=True)
class Urls:
    """Addresses below a proxy's prefix ("" or "/ops") for one server's slug."""

    prefix: str
    server: str

    @property
    def root(self) -> str:
        """Where the pages of the server begin, without the last slash."""
        return f"{self.prefix}/{self.server}"

    def overview(self, at: str = "") -> str:
        """The overview."""
        return with_query(f"{self.root}/", at=at)

    def rail(self, current: str) -> str:
        """The rail alone, with what marks `current`."""
        return with_query(f"{self.root}/rail", current=current)

    def workers(self, state: str = "", at: str = "") -> str:
        """Workers of all queues."""
        return with_query(f"{self.root}/workers", state=state, at=at)

    def queue(self, queue: bytes) -> str:
        """A queue's own page."""
        return f"{self.root}/q/{token(queue)}"

    def place(self, queue: bytes, place: str, at: str = "", state: str = "") -> str:
        """One list of a queue, its workers or its trash; the queue's own page for the place ""."""
        if not place:
            return self.queue(queue)
        return with_query(f"{self.queue(queue)}/{place}", state=state, at=at)

    def job(self, queue: bytes, address: Address, id_text: str = "") -> str:
        """A job's own page; `id_text` is what it is looked for by when it has moved."""
        return with_query(f"{self.queue(queue)}/job/{address.digest}", at=address.text(), id=id_text)

    def job_bytes(self, queue: bytes, address: Address) -> str:
        """Download of a job's exact bytes."""
        return with_query(f"{self.queue(queue)}/job/{address.digest}/bytes", at=address.text())

    def reap(self, queue: bytes, worker: bytes) -> str:
        """The preview of a reap."""
        return f"{self.queue(queue)}/reap?worker={token(worker)}"

    def reap_stale(self, queue: bytes | None = None) -> str:
        """The preview of reaping all that may be reaped, of one queue or of all."""
        return f"{self.root}/reap-stale" + (f"?queue={token(queue)}" if queue is not None else "")

    def act(self, queue: bytes, verb: str) -> str:
        """Where an act on a queue is posted: retries, discards, …, pause, resume."""
        return f"{self.queue(queue)}/{verb}"

    def reaps(self) -> str:
        """Where the reaping of all stale workers is posted."""
        return f"{self.root}/reaps"

    def demo_signals(self) -> str:
        """Where the demo's signals are posted."""
        return f"{self.root}/demo/signals"

    def sign_in(self, following: str = "") -> str:
        """The sign-in form, then `following`."""
        return with_query(f"{self.prefix}{OWN}/sign-in", next=following)

    def sign_out(self) -> str:
        """Where signing out is posted."""
        return f"{self.prefix}{OWN}/sign-out"

    def asset(self, path: str, version: str) -> str:
        """A file of ours, with a mark of its content."""
        return f"{self.prefix}{OWN}/static/{quote(path)}?v={version}"


def with_query(path: str, **query: str) -> str:
    """`path` with those of the query that are not empty."""
    kept = {name: value for name, value in query.items() if value}
    if not kept:
        return path
    return f"{path}?{urlencode(kept, errors='surrogateescape')}"


@lru_cache(maxsize=4_096)
def dom_id(kind: str, *parts: bytes | str) -> str:
    """An element's id that is a plain CSS identifier whatever the parts are: "w-0f3a…"."""
    key = b"\0".join([part if isinstance(part, bytes) else part.encode() for part in parts])
    return f"{kind}-{blake2b(key, digest_size=8).hexdigest()}"


def own_path(text: str, prefix: str) -> str:
    """`text` when it is a path of this console (below `prefix`), else "": it may come from anybody.

    Refused: other hosts in all their spellings (`//host`, `/\\\\host`, `https:`), control characters, and
    paths outside of the prefix.
    """
    if not text.startswith(f"{prefix}/") or not text.isprintable() or "\\" in text:
        return ""
    if text.startswith("//") or len(text) > 2000:
        return ""
    return text
