"""The first address, and the sign of life for a process supervisor.

Owns: `/` and `/-/health`. Refuses: to look at Redis.
"""

from __future__ import annotations

from flask import Blueprint, g, redirect
from flask.typing import ResponseReturnValue

from dashboard.web.urls import OWN

blueprint = Blueprint("own", __name__)


@blueprint.get("/")
def root() -> ResponseReturnValue:
    """To the overview of the one server."""
    return redirect(g.urls.overview(), 303)


@blueprint.get(f"{OWN}/health")
def health() -> ResponseReturnValue:
    """The process answers; whether Redis does is on the pages."""
    return "ok\n", 200, {"Content-Type": "text/plain; charset=utf-8"}
