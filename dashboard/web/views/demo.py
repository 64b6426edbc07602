"""The demo's signals.

Owns: `/{server}/demo/signals`, which exists only with a demo. Refuses: processes that the demo did not start.
"""

from __future__ import annotations

from flask import Blueprint, abort, g, request
from flask.typing import ResponseReturnValue

from dashboard.actions.roles import Role
from dashboard.web import forms
from dashboard.web.demo_hook import SIGNALS
from dashboard.web.outcomes import Told
from dashboard.web.services import services

blueprint = Blueprint("demo", __name__)


@blueprint.post("/demo/signals")
def signals() -> ResponseReturnValue:
    """Send SIGKILL, freeze or thaw to a worker of the demo."""
    demo, worker = services().demo, forms.name("worker")
    if demo is None:
        abort(404)
    what = next((one for one in SIGNALS if one == request.form.get("signal")), None)
    if worker is None or what is None:
        abort(422, "worker")
    if not g.actor.role.covers(Role.OPERATOR):
        abort(403)
    try:
        demo.signal(worker, what)
    except LookupError:
        abort(409, "demo")
    return forms.back_to(Told("signalled", to=what), g.urls.workers())
