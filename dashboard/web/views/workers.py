"""Workers of all queues and of one.

Owns: `/{server}/workers` and `/{server}/q/{queue}/workers`. Refuses: acts.
"""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from dashboard.web.presenting.workers import workers_page
from dashboard.web.rendering import render
from dashboard.web.services import inspector, services
from dashboard.web.views.scenes import position, scene

blueprint = Blueprint("workers", __name__)


@blueprint.get("/workers")
def show() -> ResponseReturnValue:
    """All of them, the gravest first."""
    read = inspector().workers(None, state=request.args.get("state", ""), page=position())
    page = workers_page(scene(read.now), read, None, demo_workers())
    return render("pages/workers.html", page)


@blueprint.get("/q/<name:queue>/workers")
def of_queue(queue: bytes) -> ResponseReturnValue:
    """Those of one queue."""
    read = inspector().workers(queue, state=request.args.get("state", ""), page=position())
    page = workers_page(scene(read.now), read, read.summary, demo_workers())
    return render("pages/workers.html", page)


def demo_workers() -> frozenset[bytes]:
    """Workers that get the demo's buttons; none without a demo."""
    demo = services().demo
    return frozenset(demo.processes()) if demo is not None else frozenset()
