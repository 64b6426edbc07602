"""Previews of reaps.

Owns: `/{server}/q/{queue}/reap` and `/{server}/reap-stale`. Refuses: to reap (`acts`).
"""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from dashboard.web.presenting.reaps import reap_page, reap_stale_page
from dashboard.web.rendering import render
from dashboard.web.services import inspector
from dashboard.web.tokens import name_of
from dashboard.web.views.scenes import scene

blueprint = Blueprint("reaps", __name__)


@blueprint.get("/q/<name:queue>/reap")
def preview(queue: bytes) -> ResponseReturnValue:
    """Which jobs of one worker would go where."""
    worker = name_in_query("worker")
    if worker is None:
        abort(404)
    read = inspector().reap_preview(queue, worker)
    return render("pages/reap.html", reap_page(scene(read.now), read))


@blueprint.get("/reap-stale")
def preview_stale() -> ResponseReturnValue:
    """The same for all that may be reaped, of one queue or of all."""
    read = inspector().stale_preview(name_in_query("queue"))
    return render("pages/reap_stale.html", reap_stale_page(scene(read.now), read))


def name_in_query(name: str) -> bytes | None:
    """The name whose token the query holds; None without one, 404 when it is spelled otherwise."""
    text = request.args.get(name)
    if text is None:
        return None
    try:
        return name_of(text)
    except ValueError:
        abort(404)
