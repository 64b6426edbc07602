"""From a page object to an answer: a whole page, one block of it, or 304.

Owns: which of the three a request wants, the polling tag, and the headers of caching. Refuses: to read
anything but the frame's own figures.

htmx 4 sends `HX-Request`, `HX-Request-Type` (partial or full) and, with the extension, `HX-PTag`.
"""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, request

from dashboard.web import frame
from dashboard.web.filters import iso
from dashboard.web.region_tags import tag_of
from dashboard.web.view_models.shell import Region

LIVE = "live"
VARY = "HX-Request, HX-Request-Type, HX-PTag, Cookie"


def wants_part() -> bool:
    """Whether the request is a poll of a region; a boosted link or form wants the whole page."""
    headers = request.headers
    return headers.get("HX-Request") == "true" and headers.get("HX-Request-Type", "partial") == "partial"


def render(template: str, page: Any) -> Response:
    """The answer that this request wants of a page read without fault."""
    tag = tag_of(page)
    if wants_part() and "recover" in request.args:
        return finished(Response(headers={"HX-Refresh": "true"}), page)
    if wants_part() and request.headers.get("HX-PTag") == tag:
        return finished(Response(status=304, headers={"HX-PTag": tag}), page)
    region = Region(page.live_href, current_app.config["POLL_SECONDS"], tag, page.now)
    if wants_part():
        text = block(template, LIVE, page=page, shell=frame.bare(page.now), region=region)
    else:
        shell = frame.full(page.now)
        text = whole(template, page=page, shell=shell, region=region)
    return finished(Response(text, headers={"HX-PTag": tag}), page)


def render_rail(current: str) -> Response:
    """The rail alone; `current` is the path of the page it stands on."""
    shell = frame.full(None, current)
    tag = tag_of((shell.nav, shell.queues, shell.more_count, shell.server_facts))
    if request.headers.get("HX-PTag") == tag:
        return Response(status=304, headers={"HX-PTag": tag, "Vary": VARY})
    text = block("base.html", "rail", shell=shell)
    return Response(text, headers={"HX-PTag": tag, "Vary": VARY})


def render_lone(template: str, page: Any, status: int = 200, **names: Any) -> Response:
    """A page without a region: sign-in, errors."""
    shell = names.pop("shell", None)
    return finished(Response(whole(template, page=page, shell=shell, **names), status=status), page)


def whole(template: str, **names: Any) -> str:
    """All of a template."""
    return current_app.jinja_env.get_template(template).render(names)


def block(template: str, name: str, **names: Any) -> str:
    """One named block of a template, rendered alone."""
    found = current_app.jinja_env.get_template(template)
    return "".join(found.blocks[name](found.new_context(names)))


def finished(response: Response, page: Any) -> Response:
    """The headers that every answer of a page carries."""
    response.headers["Vary"] = VARY
    if page.now is not None:
        response.headers["X-As-Of"] = iso(page.now)
    return response
