"""What a posted form says, read strictly.

Owns: from fields to addresses, ids and names; a field that is missing or odd is a readable 422. Refuses:
to act.
"""

from __future__ import annotations

from flask import abort, g, redirect, request
from flask.typing import ResponseReturnValue

from dashboard.actions.outcome import Outcome
from dashboard.queue.address import Address
from dashboard.web.outcomes import Told
from dashboard.web.tokens import name_of
from dashboard.web.urls import own_path

Pick = tuple[Address, str]


def act_id() -> str:
    """The one-time id of the form; `actions` refuses what is none."""
    return request.form.get("act", "")


def scope() -> str:
    """Which jobs it is about: one, ticked, all."""
    given = request.form.get("scope", "one")
    if given not in ("one", "ticked", "all"):
        abort(422, "scope")
    return given


def picks() -> list[Pick]:
    """The entries of the form, each with its one-time id; 422 when there is none or one cannot be read."""
    found = []
    for written in request.form.getlist("job"):
        address, _, own_id = written.partition("~")
        try:
            found.append((Address.parse(address), own_id or act_id()))
        except ValueError:
            abort(422, "address")
    if not found:
        abort(422, "nothing-ticked")
    return found


def text(name: str) -> str:
    """A field as it is; empty when missing."""
    return request.form.get(name, "")


def count(name: str) -> int:
    """A whole number in a field."""
    written = text(name)
    if not (written.isascii() and written.isdigit() and len(written) <= 12):
        abort(422, "scope")
    return int(written)


def trash_picks() -> list[tuple[str, str]]:
    """Ids in the trash with a one-time id for each, derived from the form's when there are several."""
    ids = request.form.getlist("trash")
    if not ids:
        abort(422, "trash")
    if len(ids) == 1:
        return [(ids[0], act_id())]
    return [(one, f"{act_id()}-{at}") for at, one in enumerate(ids)]


def name(field: str) -> bytes | None:
    """The name whose token a field holds; None when the field is missing."""
    written = request.form.get(field)
    if written is None:
        return None
    try:
        return name_of(written)
    except ValueError:
        abort(422, "worker")


def back_to(told: Told, fallback: str) -> ResponseReturnValue:
    """303 to the page that the form stood on, with the outcome."""
    back = own_path(request.form.get("back", ""), request.script_root) or fallback
    address = back + ("&" if "?" in back else "?") + told.query()
    return redirect(address, 303)


def back_from(did: str, queue: bytes, place: str, outcome: Outcome) -> ResponseReturnValue:
    """303 with an act's outcome; to a list of the queue when the form does not say where it stood."""
    return back_to(Told.of(did, outcome), g.urls.place(queue, place))
