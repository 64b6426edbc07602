"""The outcome of an act on its way through a redirect: numbers in the query, fixed sentences on the page.

Owns: both directions. Refuses: text from the query other than a person's name; whoever writes a link can
choose among our sentences only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import urlencode

from dashboard.actions.outcome import Outcome
from dashboard.web.acts import ActIds
from dashboard.web.filters import duration
from dashboard.web.texts import plural, shown
from dashboard.web.urls import Urls
from dashboard.web.view_models.parts import Act, Notice

VERBS: Final = frozenset(
    {"retried", "discarded", "restored", "promoted", "reaped", "paused", "resumed", "signalled"}
)
COUNTS: Final = ("moved", "dead", "gone", "unreadable", "alive", "left", "newer")
UNDO_MAX: Final = 100
_COUNT: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_TRASH_ID: Final = re.compile(r"[0-9]{1,20}-[0-9]{1,20}", re.ASCII)


class Query(Protocol):
    """What `from_query` needs of a query: the first value of a name."""

    def get(self, key: str, default: str) -> str:
        """The first value."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a page says of the act that led to it. Counts are of jobs, but for `alive` of a reap: workers."""

    did: str
    moved: int = 0
    dead: int = 0
    gone: int = 0
    unreadable: int = 0
    alive: int = 0
    left: int = 0
    newer: int = 0
    again: int = 0
    """Parts that had been done before."""
    first: int = 0
    """When that was, in seconds of the server's clock."""
    by: str = ""
    undo: tuple[str, ...] = ()
    """Ids in the trash."""
    to: str = ""
    """Where a restored job went, or which signal was sent."""

    @classmethod
    def of(cls, did: str, outcome: Outcome) -> Told:
        """What is to be said of an outcome."""
        repeat = outcome.repeated
        return cls(
            did,
            outcome.moved_count,
            outcome.dead_count,
            outcome.gone_count,
            outcome.unreadable_count,
            outcome.alive_count,
            outcome.left_count,
            outcome.newer_count,
            again=max(outcome.repeated_count, 1) if repeat else 0,
            first=int(repeat.at) if repeat else 0,
            by=repeat.by if repeat else "",
            undo=outcome.trash_ids[:UNDO_MAX],
            to=outcome.place,
        )

    @classmethod
    def from_query(cls, query: Query) -> Told | None:
        """What a query tells; None when it tells nothing that we say."""
        did = query.get("did", "")
        if did not in VERBS:
            return None
        ids = query.get("undo", "").split(" ")
        return cls(
            did,
            moved=whole(query.get("moved", "")),
            dead=whole(query.get("dead", "")),
            gone=whole(query.get("gone", "")),
            unreadable=whole(query.get("unreadable", "")),
            alive=whole(query.get("alive", "")),
            left=whole(query.get("left", "")),
            newer=whole(query.get("newer", "")),
            again=whole(query.get("again", "")),
            first=whole(query.get("first", "")),
            by=query.get("by", "")[:60],
            undo=tuple(one for one in ids if _TRASH_ID.fullmatch(one))[:UNDO_MAX],
            to=query.get("to", "") if query.get("to", "") in PLACES else "",
        )

    def query(self) -> str:
        """As a query string, without what is zero or empty."""
        pairs: dict[str, object] = {"did": self.did}
        pairs |= {name: value for name in COUNTS if (value := getattr(self, name))}
        if self.again:
            pairs |= {"again": self.again, "first": self.first, "by": self.by}
        if self.undo:
            pairs["undo"] = " ".join(self.undo)
        if self.to:
            pairs["to"] = self.to
        return urlencode(pairs)


PLACES: Final = frozenset({"pending", "delayed", "dead", "SIGKILL", "freeze", "thaw"})


def whole(text: str) -> int:
    """A count in a query; what is none counts as 0."""
    return int(text) if _COUNT.fullmatch(text) else 0


def said(told: Told, urls: Urls, queue: bytes | None, now: float | None, back: str = "") -> Notice:
    """The sentence of the page, with Undo for what lies in the trash; `now` is the server's clock.

    An undo leads to `back`, the page that tells the outcome; without one, to the queue's own page.
    """
    parts = [part for part in (main_sentence(told), repeated(told, now), *remainders(told)) if part]
    undo = None
    if told.did == "discarded" and told.undo and queue is not None:
        fields = (("back", back or urls.place(queue, "")), *[("trash", one) for one in told.undo])
        undo = Act("Undo", urls.act(queue, "restores"), fields, kind="quiet", act_id=ActIds().next())
    happened = told.moved or told.dead or told.did in ("paused", "resumed", "signalled")
    return Notice("done" if happened and not told.again else "nothing", " ".join(parts), undo=undo)


def main_sentence(told: Told) -> str:
    """What moved where; empty when nothing did."""
    jobs = plural(told.moved, "job")
    if told.did in ALWAYS:
        return ALWAYS[told.did]
    if told.did == "signalled":
        return f"Sent {told.to or 'a signal'} to the demo's worker."
    if told.did == "reaped":
        parts = [f"{jobs} went back to pending"] if told.moved else []
        parts += [f"{plural(told.dead, 'job')} went to dead, over the limit"] if told.dead else []
        return f"Reaped: {' and '.join(parts)}." if parts else ""
    if not told.moved:
        return ""
    if told.did == "restored":
        return f"Restored {jobs} to {told.to or 'where it came from'}."
    return SENTENCES[told.did].format(jobs=jobs, it="It runs" if told.moved == 1 else "They run")


ALWAYS: Final[Mapping[str, str]] = {
    "paused": "Paused. Workers of ours take no new job; jobs that are running finish.",
    "resumed": "Resumed. Workers take jobs again.",
}
SENTENCES: Final[Mapping[str, str]] = {
    "retried": "Retried {jobs}, with attempts set to 0.",
    "discarded": "Discarded {jobs}. The trash keeps what was discarded.",
    "promoted": "Promoted {jobs} to pending.",
}


def repeated(told: Told, now: float | None) -> str:
    """That it had been done before, when, and by whom."""
    if not told.again:
        return ""
    by = f" by {shown(told.by)}" if told.by else ""
    when = f" {duration(max(0, int(now) - told.first))} ago" if now is not None and told.first else ""
    return f"Already {told.did}{when}{by}. Nothing was moved again."


def remainders(told: Told) -> list[str]:
    """What did not happen and why, in a sentence each."""
    lines = []
    if told.gone and told.did == "reaped":
        lines.append(
            f"{plural(told.gone, 'worker is', 'workers are')} no longer as this page showed: "
            "nothing was taken. Look again."
        )
    elif told.gone:
        lines.append(
            f"{plural(told.gone, 'job was', 'jobs were')} no longer where this page showed "
            f"{'it' if told.gone == 1 else 'them'}: nothing was done to {'it' if told.gone == 1 else 'them'}."
        )
    if told.unreadable:
        lines.append(
            f"{plural(told.unreadable, 'job stays', 'jobs stay')} in dead: the counter cannot be read."
        )
    if told.alive and told.did == "reaped":
        lines.append(f"{plural(told.alive, 'worker')} beat again, so nothing was taken from it.")
    elif told.alive:
        lines.append(f"{plural(told.alive, 'job is', 'jobs are')} held by a live worker and stayed with it.")
    if told.left and not (told.gone and told.did == "reaped"):
        lines.append(f"{plural(told.left, 'job was', 'jobs were')} left for another call.")
    if told.newer:
        lines.append(f"{told.newer:,} newer not included.")
    nothing = not (
        lines or told.moved or told.dead or told.again or told.did in ALWAYS or told.did == "signalled"
    )
    return ["There was nothing to do."] if nothing else lines
