"""A job's own page and its exact bytes.

Owns: `/{server}/q/{queue}/job/{digest}`. Refuses: to guess; a link that names no address is looked for by
its digest and id.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue

from dashboard.queue.address import Address
from dashboard.web.presenting.job import job_page
from dashboard.web.rendering import render, wants_part
from dashboard.web.services import inspector
from dashboard.web.views.scenes import scene

blueprint = Blueprint("jobs", __name__)


@blueprint.get("/q/<name:queue>/job/<digest>")
def show(queue: bytes, digest: str) -> ResponseReturnValue:
    """Where it is now; 404, as a page of its own, when it is nowhere in this queue.

    A poll gets its region then, which says the same in place of what stood there.
    """
    id_text = request.args.get("id", "")
    read = inspector().job(queue, address_of(digest), id_text)
    response = render("pages/job.html", job_page(scene(read.now), read, digest, id_text))
    if read.address is None and not wants_part():
        response.status_code = 404
    return response


@blueprint.get("/q/<name:queue>/job/<digest>/bytes")
def exact_bytes(queue: bytes, digest: str) -> ResponseReturnValue:
    """Its exact bytes as a file."""
    raw = inspector().raw_bytes(queue, address_of(digest))
    if raw is None:
        abort(404, "job-bytes")
    headers = {"Content-Disposition": f'attachment; filename="job-{digest[:12]}.bin"'}
    return Response(raw, mimetype="application/octet-stream", headers=headers)


def address_of(digest: str) -> Address:
    """The address in the link; 404 when it is none, or of another job than the path says."""
    try:
        address = Address.parse(request.args.get("at", ""))
    except ValueError:
        abort(404)
    if address.digest != digest:
        abort(404)
    return address
