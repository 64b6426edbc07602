"""The overview.

Owns: `/{server}/` and the rail alone. Refuses: acts.
"""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from dashboard.web.presenting.overview import overview_page
from dashboard.web.rendering import render, render_rail
from dashboard.web.services import inspector, services
from dashboard.web.views.scenes import scene

blueprint = Blueprint("overview", __name__)


@blueprint.get("/")
def show() -> ResponseReturnValue:
    """What needs somebody, then every queue."""
    read = inspector().overview()
    return render("pages/overview.html", overview_page(scene(read.now), read, services().server_label))


@blueprint.get("/rail")
def rail() -> ResponseReturnValue:
    """The rail, for its own poll: all queues with the one number that matters."""
    return render_rail(request.args.get("current", ""))
