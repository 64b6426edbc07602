"""A job as an operator sees it: a row of a list, and a page of its own.

Texts here are safe to read: control and direction characters are visible escapes, and what is no UTF-8 shows
as `\\xNN`. They are not escaped for HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.inspector.snapshots.paging import Page
from dashboard.inspector.snapshots.queues import QueueSummary

if TYPE_CHECKING:
    from dashboard.queue.address import Address


@dataclass(frozen=True, slots=True)
class JobRow:
    """One entry of pending, processing, delayed, dead or the trash."""

    address: Address
    #: a text or number as it is; "#" and the digest's first signs for another or no id; of an entry that is
    #: no job its first bytes ("80 04 95 ff"), or "empty"
    id_text: str
    #: the job has an id that is a text or a number
    id_is_text: bool
    #: first characters of the payload, or of the raw bytes when they are no job
    payload_preview: str
    #: whole entry, bytes
    length: int
    #: None when there is no whole number
    attempts: int | None
    #: the counter as it stands, whatever it is ("3", "three", "null"); "" when missing
    attempts_text: str
    #: first lines; "" when there is none
    error: str
    failed_at: float | None
    enqueued_at: float | None
    #: "" when it has none
    name: str
    #: a JSON object, as far as the preview goes
    readable: bool
    #: "" | "not JSON" | "empty" | "not an object" | "cut" (only the beginning was read) | "large" (likewise,
    #: and over the limit at enqueue) | "not read" (the page was too large before it)
    mark: str
    #: due time by its score, delayed only; may be infinite
    due: float | None
    overdue: bool


@dataclass(frozen=True, slots=True)
class JobList:
    """One page of one list of a queue."""

    now: float
    queue: QueueSummary
    #: "pending" (next to run first) | "processing" | "delayed" (soonest first) | "dead" (newest first)
    place: str
    rows: tuple[JobRow, ...]
    total_count: int
    page: Page
    #: digest of the newest entry of dead at this instant, "" elsewhere: the bound of a retry of all
    newest_digest: str
    #: "" or why the key cannot be read as this list ("mail:delayed is a list, not a sorted set")
    key_fault: str


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the flight recorder `{q}:events` that names a job."""

    id: str
    at: float
    #: what happened: the event's own word
    verb: str
    #: its other fields as text, in the recorder's order
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Search:
    """How hard a job was looked for. Asked for again with a larger budget, the search goes further."""

    looked_count: int
    total_count: int
    complete: bool


@dataclass(frozen=True, slots=True)
class JobView:
    """A job's own page. Without `address` the job is in none of the lists that were looked at."""

    now: float
    queue: QueueSummary
    #: where it stands at this instant; None when it was not found
    address: Address | None
    #: its place, None when it was not found
    place: str | None
    #: None when it was not found
    row: JobRow | None
    #: the first 256 KB of its exact bytes
    raw: bytes
    #: `raw` is not all of it
    cut: bool
    #: the whole entry as pretty JSON without loss, or escaped bytes; "" when it was not found
    pretty: str
    #: the payload alone, likewise; "" without one
    payload_pretty: str
    #: top-level members that this console gives no meaning to, as (name, text)
    members: tuple[tuple[str, str], ...]
    error: str
    traceback: str
    #: what the flight recorder says, newest first
    events: tuple[Event, ...]
    #: found elsewhere than where the link said
    moved: bool
    #: other entries with this id that were seen while looking for it
    others_count: int
    search: Search


@dataclass(frozen=True, slots=True)
class TrashRow:
    """A discarded job."""

    #: its id in the trash
    id: str
    row: JobRow
    #: the place it was taken from
    place: str
    #: due time it had in delayed
    due: float | None
    by: str
    at: float


@dataclass(frozen=True, slots=True)
class TrashList:
    """One page of the trash, latest discard first."""

    now: float
    queue: QueueSummary
    rows: tuple[TrashRow, ...]
    total_count: int
    page: Page
    key_fault: str
