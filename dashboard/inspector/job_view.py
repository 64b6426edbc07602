"""A job's own page: found where it was, or by looking for it; else what became of it.

Owns: the steps of finding and the page. Refuses: more than three round trips, and to show bytes as a job that
are none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dashboard.inspector.events import Recorded, about, events_ask
from dashboard.inspector.members import Members, read_cut, read_whole
from dashboard.inspector.passes import Pass
from dashboard.inspector.peeks import locate_ask
from dashboard.inspector.pretty import pretty
from dashboard.inspector.queue_desk import Facts, QueueDesk
from dashboard.inspector.reading import Ask, ScriptAsk
from dashboard.inspector.rows import facts_of, row_of, text_of
from dashboard.inspector.searching import Wanted, best, entry_address, find_ask
from dashboard.inspector.snapshots import JobRow, JobView, Search
from dashboard.inspector.visible import cut, legible, visible_bytes
from dashboard.queue.address import Address
from dashboard.queue.answers import Entry
from dashboard.queue.keys import QueueKeys

RAW_BYTES = 262_144
"""Of a job on its own page; the rest is a download away."""

DOWNLOAD_BYTES = 536_870_912
"""The longest string that Redis keeps."""

LISTS_SEARCHED = 50
"""Processing lists that are looked into, those that hold most first."""

MEMBER_SIGNS = 4_096

ERROR_SIGNS = 8_192

MEANT = frozenset(
    {"id", "payload", "attempts", "name", "enqueued_at", "error", "traceback", "failed_at", "worker"}
)
"""Members that the page shows in places of their own."""


@dataclass(slots=True)
class JobDesk:
    """Finds one job and reads it."""

    desk: QueueDesk

    def view(self, name: bytes, latest: Pass, address: Address | None, id_text: str) -> JobView:
        """Return the page. Raises QueueNotFound, ServerAway and ServerRefused."""
        q = QueueKeys.found(name)
        extra: list[Ask[Any] | ScriptAsk[Any]] = [events_ask(q)]
        if address is not None:
            extra.append(locate_ask(q, address, RAW_BYTES))
        facts, answers = self.desk.read(name, latest, extra, workers=False)
        recorded: Recorded = answers[0]
        entry: Entry | None = answers[1] if address is not None else None
        if address is not None and entry is not None:
            return _found_view(facts, entry_address(address, entry), entry, recorded, moved=False)
        wanted = Wanted(id_text, address.length if address else 0, address.digest if address else "")
        row, others, search = self._search(facts, wanted)
        if row is not None:
            entry = self.desk.reader.one(locate_ask(q, row.address, RAW_BYTES))
            if entry is not None:
                at = entry_address(row.address, entry)
                view = _found_view(facts, at, entry, recorded, moved=address is not None)
                return replace(view, others_count=others, search=search)
        return _absent_view(facts, recorded, address, search)

    def raw(self, q: QueueKeys, address: Address) -> bytes | None:
        """Return the exact bytes of a job, None when it is no longer near where it was."""
        entry = self.desk.reader.one(locate_ask(q, address, DOWNLOAD_BYTES))
        return entry.preview if entry is not None else None

    def _search(self, facts: Facts, wanted: Wanted) -> tuple[JobRow | None, int, Search]:
        q, now = facts.q, facts.now
        holders = sorted((seen for seen in facts.workers if seen.held), key=lambda seen: -(seen.held or 0))
        asks = [
            find_ask(q.dead, "dead", wanted, now),
            find_ask(q.pending, "pending", wanted, now),
            find_ask(q.delayed, "delayed", wanted, now),
            *(
                find_ask(q.processing(seen.name), "processing", wanted, now, seen.name)
                for seen in holders[:LISTS_SEARCHED]
            ),
        ]
        return best(self.desk.reader.all(asks), wanted)


def _found_view(facts: Facts, address: Address, entry: Entry, recorded: Recorded, *, moved: bool) -> JobView:
    raw = entry.preview
    is_cut = entry.length > len(raw)
    members = read_cut(raw) if is_cut else read_whole(raw)
    said = facts_of(members, address.digest)
    row = row_of(
        address.place,
        Entry(address.hint, entry.length, raw, address.digest, address.score),
        now=facts.now,
        worker=address.worker,
    )
    return JobView(
        now=facts.now,
        queue=facts.summary,
        address=address,
        place=address.place,
        row=row,
        raw=raw,
        cut=is_cut,
        pretty=_pretty_bytes(raw, members),
        payload_pretty=_pretty_text(members.texts.get("payload", "")),
        members=tuple(
            (visible_bytes(name.encode("utf-8", "surrogatepass")), cut(legible(text), MEMBER_SIGNS))
            for name, text in members.texts.items()
            if name not in MEANT
        ),
        error=text_of(members.texts.get("error"), ERROR_SIGNS),
        traceback=said.traceback,
        events=about(recorded, {address.digest}),
        moved=moved,
        others_count=0,
        search=Search(1, 1, True),
    )


def _absent_view(facts: Facts, recorded: Recorded, address: Address | None, search: Search) -> JobView:
    return JobView(
        now=facts.now,
        queue=facts.summary,
        address=None,
        place=None,
        row=None,
        raw=b"",
        cut=False,
        pretty="",
        payload_pretty="",
        members=(),
        error="",
        traceback="",
        events=about(recorded, {address.digest} if address else ()),
        moved=False,
        others_count=0,
        search=search,
    )


def _pretty_bytes(raw: bytes, members: Members) -> str:
    if members.kind in ("object", "other"):
        text = pretty(raw.decode("utf-8-sig", "backslashreplace"))
        if text is not None:
            return text
    return visible_bytes(raw)


def _pretty_text(text: str) -> str:
    laid_out = pretty(text) if text else None
    return legible(text) if laid_out is None else laid_out
