"""What a job's page says of each entry of the flight recorder."""

from __future__ import annotations

import pytest

from dashboard.inspector.snapshots import Event
from dashboard.web.presenting.timeline import event_line

AT = 1796007100.0
DUE = "1796007105.25"

SENTENCES = [
    ("failed", {"worker": "w", "error": "ValueError: x", "due": DUE},
     "Failed under w: ValueError: x. Delayed until 02:51:45 UTC."),
    ("delayed", {"count": "3", "due": DUE}, "Enqueued with 2 others, delayed until 02:51:45 UTC"),
    ("released", {"worker": "w", "count": "1"}, "Given back unharmed by w"),
    ("failed", {"worker": "w", "error": "", "due": "soon"}, "Failed under w. Delayed."),
    ("dead", {"worker": "w", "error": "boom"}, "Died under w: boom"),
    ("reaped", {"worker": "w", "by": "janitor", "why": "stale", "moved": "3", "dead": "0"},
     "Reaped from w by janitor: its heartbeat stayed unchanged for too long"),
    ("reaped", {"worker": "w", "by": "supervisor", "why": "child-exit", "detail": "SIGKILL"},
     "Reaped from w by supervisor: its process ended (SIGKILL)"),
    ("reaped", {"worker": "w", "by": "ann", "why": "operator"}, "Reaped from w by ann: by hand"),
    ("promoted", {"by": "janitor", "count": "100"}, "Promoted by janitor with 99 others"),
    ("promoted", {"by": "ann", "count": "2"}, "Promoted by ann with 1 other"),
    ("retried", {"by": "ann", "count": "1"}, "Retried by ann"),
    ("retried", {"by": "ann", "count": "inf"}, "Retried by ann"),
    ("rescheduled", {"by": "ann", "due": DUE}, "Rescheduled by ann until 02:51:45 UTC"),
    ("rescheduled", {"by": "ann", "due": "1796107105"},
     "Rescheduled by ann until 2026-12-01 06:38:25 UTC"),
    ("discarded", {"by": "ann", "place": "dead"}, "Discarded from dead by ann"),
    ("restored", {"by": "ann", "place": "dead"}, "Restored to dead by ann"),
    ("taken", {"by": "ann", "worker": "w"}, "Taken from w by ann"),
    ("buried", {"by": "ann"}, "Buried by ann"),
    ("retried", {}, "Retried by somebody"),
    ("painted", {"colour": "red"}, "painted, colour red"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "fields", "sentence"), SENTENCES)
def test_each_kind_of_entry_is_said_in_a_sentence(verb: str, fields: dict[str, str], sentence: str) -> None:
    line = event_line(Event("1-0", AT, verb, tuple(fields.items())))
    assert line.text == sentence


def test_an_entry_tells_when_it_was() -> None:
    at = event_line(Event("1796007105250-0", 1796007105.25, "buried", (("by", "ann"),))).at
    assert at is not None
    assert at.isoformat() == "2026-11-30T02:51:45.250000+00:00"
