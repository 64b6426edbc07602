"""What happened to a job, a sentence for each entry of the flight recorder.

Owns: the words for every kind of entry. Refuses: to hide what it does not know; foreign entries are shown
field by field.
"""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.inspector.snapshots import Event
from dashboard.web.filters import clock
from dashboard.web.texts import moment, plural
from dashboard.web.view_models.job import EventLine

REASONS = {
    "stale": "its heartbeat stayed unchanged for too long",
    "operator": "by hand",
    "child-exit": "its process ended",
}
"""Why a worker was reaped, in the words of the script to those of a reader."""


def event_line(event: Event) -> EventLine:
    """One line."""
    said = dict(event.fields)
    return EventLine(at=moment(event.at), text=_sentence(event.verb, said, _due(said, event.at)))


def _sentence(verb: str, said: Mapping[str, str], due: str) -> str:
    by, worker, place = (said.get(name) or "somebody" for name in ("by", "worker", "place"))
    error = f": {said['error']}" if said.get("error") else ""
    others = _others(_number(said.get("count", "")))
    match verb:
        case "delayed":
            return f"Enqueued{others}, delayed{due}"
        case "released":
            return f"Given back unharmed by {worker}{others}"
        case "failed":
            return f"Failed under {worker}{error}. Delayed{due}."
        case "dead":
            return f"Died under {worker}{error}"
        case "reaped":
            return f"Reaped from {worker} by {by}: {_cause(said)}"
        case "promoted" | "retried":
            return f"{verb.capitalize()} by {by}{others}"
        case "rescheduled":
            return f"Rescheduled by {by}{due}"
        case "discarded":
            return f"Discarded from {place} by {by}"
        case "restored":
            return f"Restored to {place} by {by}"
        case "taken":
            return f"Taken from {worker} by {by}"
        case "buried":
            return f"Buried by {by}"
    return ", ".join([verb, *(f"{name} {value}" for name, value in said.items())])


def _due(said: Mapping[str, str], at: float) -> str:
    """ " until 12:03:07 UTC", with the date when it is another day than `at`; nothing without an instant."""
    due, day = moment(_number(said.get("due", "")) or None), moment(at)
    if due is None:
        return ""
    is_same_day = day is not None and due.date() == day.date()
    return f" until {clock(due)}" if is_same_day else f" until {due:%Y-%m-%d %H:%M:%S} UTC"


def _cause(said: Mapping[str, str]) -> str:
    why = said.get("why", "")
    reason = REASONS.get(why, why or "no reason given")
    return f"{reason} ({said['detail']})" if said.get("detail") else reason


def _number(text: str) -> float:
    """The number that a field holds, 0 for anything else: other software may write here too."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _others(count: float) -> str:
    """ " with 99 others", for an entry that stands for many jobs."""
    return f" with {plural(int(count) - 1, 'other')}" if 1 < count < float("inf") else ""
