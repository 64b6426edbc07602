"""The scene of the current request.

Owns: the one step from Flask to the presenters. Refuses: routes.
"""

from __future__ import annotations

from flask import g, request

from dashboard.actions.roles import Role
from dashboard.web import frame
from dashboard.web.presenting.scene import Scene


def scene(now: float) -> Scene:
    """Who looks, from where; `now` is the instant of what was read."""
    return Scene(g.urls, frame.here(), now, g.actor.role.covers(Role.OPERATOR))


def position() -> str:
    """Where in a list to begin, as the address says."""
    return request.args.get("at", "")
