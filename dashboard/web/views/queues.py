"""A queue: its own page, each of its lists, its trash.

Owns: `/{server}/q/{queue}` and below it the lists. Refuses: acts.
"""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from dashboard.web.presenting.job_lists import job_list_page
from dashboard.web.presenting.queues import queue_page
from dashboard.web.presenting.trash import trash_page
from dashboard.web.rendering import render
from dashboard.web.services import inspector, services
from dashboard.web.views.scenes import position, scene

blueprint = Blueprint("queues", __name__)


@blueprint.get("/q/<name:queue>")
def show(queue: bytes) -> ResponseReturnValue:
    """The first rows of every list."""
    read = inspector().queue(queue)
    return render("pages/queue.html", queue_page(scene(read.now), read))


@blueprint.get("/q/<name:queue>/<any(pending, processing, delayed, dead):place>")
def jobs(queue: bytes, place: str) -> ResponseReturnValue:
    """One list, page by page."""
    read = inspector().jobs(queue, place, position())
    return render("pages/jobs.html", job_list_page(scene(read.now), read))


@blueprint.get("/q/<name:queue>/trash")
def trash(queue: bytes) -> ResponseReturnValue:
    """What was discarded."""
    read = inspector().trash(queue, position())
    page = trash_page(scene(read.now), read, services().settings.trash_count)
    return render("pages/trash.html", page)
