"""Errors as a person reads them: what happened, what was not lost, what to do.

Owns: from an exception to an `ErrorPage`, and its answer as page or fragment. Refuses: to show a stack
trace or a password. What nobody foresaw is logged with an id, and the page shows the id.
"""

from __future__ import annotations

import logging
import secrets

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from dashboard.actions.refusals import Refused
from dashboard.inspector.errors import QueueNotFound
from dashboard.queue.errors import (
    BadName,
    OutcomeUnknown,
    QueueError,
    ServerAway,
    ServerRefused,
    WrongKeyType,
)
from dashboard.web import frame
from dashboard.web.error_texts import REASONS, TEXTS
from dashboard.web.rendering import VARY, wants_part, whole
from dashboard.web.security import SAFE_METHODS
from dashboard.web.services import services
from dashboard.web.urls import Urls
from dashboard.web.view_models.error import ErrorPage

log = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 2
NOTHING_CHANGED = "Nothing was changed."


def install(app: Flask) -> None:
    """Answer every exception of a view."""
    app.register_error_handler(HTTPException, on_http)
    app.register_error_handler(Refused, on_refused)
    app.register_error_handler(QueueError, on_queue_error)
    app.register_error_handler(Exception, on_unforeseen)


def on_http(error: HTTPException) -> Response:
    """404, 405, 413 and the other refusals of the framework and of ours (`abort`)."""
    status = error.code or 500
    title, text = TEXTS.get(status, (error.name, "The request could not be answered."))
    text = REASONS.get(str(error.description), text)
    response = answer(page(status, title, text))
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After", "WWW-Authenticate"):
            response.headers[name] = value
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Basic realm="watchkeeper", charset="UTF-8"'
    return response


def on_refused(error: Refused) -> Response:
    """An act that was not started."""
    title = TEXTS.get(error.status, ("Refused", ""))[0]
    return answer(page(error.status, title, error.reason))


def on_queue_error(error: QueueError) -> Response:
    """What the library says; its sentences are fit for a screen."""
    if isinstance(error, QueueNotFound):
        return answer(page(404, "No such queue", str(error)))
    if isinstance(error, OutcomeUnknown):
        text = f"{error} Look at the lists before you act again; no job is lost by it."
        return answer(page(503, "It is not known whether it happened", text))
    if isinstance(error, ServerAway):
        return answer(away(str(error)))
    if isinstance(error, ServerRefused):
        status = 403 if error.code == "NOPERM" else 503
        return answer(page(status, "Redis refused it", f"{error} The server is {services().server_label}."))
    if isinstance(error, WrongKeyType | BadName):
        return answer(page(409, "This key is not what its name says", str(error)))
    return answer(page(409, "The queue refused it", str(error)))


def on_unforeseen(error: Exception) -> Response:
    """A fault of ours."""
    request_id = secrets.token_hex(6)
    log.error("request %s failed: %s %s", request_id, request.method, request.path, exc_info=error)
    title, text = TEXTS[500]
    return answer(
        page(500, title, f"{text} The log has the details under {request_id}.", request_id=request_id)
    )


def away(reason: str) -> ErrorPage:
    """Redis does not answer: say which, without its password, and go on by itself."""
    text = (
        f"{reason} The console looks for it at {services().server_label} and goes on by itself "
        "as soon as it answers."
    )
    is_read = request.method in SAFE_METHODS
    # A reply that never came may be that of an act which happened.
    kept = (
        "Jobs are where they were: nothing here changes them while Redis is away."
        if is_read
        else "It may have happened all the same: look at the lists before you act again. No job is lost."
    )
    return page(503, "Redis is not answering", text, kept=kept, retry=is_read)


def page(
    status: int, title: str, text: str, *, kept: str = "", retry: bool = False, request_id: str = ""
) -> ErrorPage:
    """The page object; a writing request that failed says that nothing was changed."""
    urls = current_urls()
    writes = request.method not in SAFE_METHODS
    if writes and not kept and status != 503 and NOTHING_CHANGED not in text:
        kept = NOTHING_CHANGED
    asked = here() if retry else ""
    return ErrorPage(
        status=status,
        title=title,
        text=text,
        kept=kept,
        back_href=asked or urls.overview(),
        back_label="Try again" if asked else "To the overview",
        retry_href=with_marker(asked) if asked else "",
        request_id=request_id,
    )


def answer(fault: ErrorPage) -> Response:
    """The error as the request wants it: a fragment for a region, else a page, with the frame if possible."""
    if wants_part():
        text = whole("errors/fragment.html", fault=fault, page=fault)
    elif fault.status == 503 or "viewer" not in g or must_sign_in():
        text = whole("errors/lone.html", fault=fault, page=fault)
    else:
        text = whole("errors/error.html", fault=fault, page=fault, shell=frame.full(None, None))
    response = Response(text, status=fault.status, headers={"Vary": VARY})
    if fault.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def must_sign_in() -> bool:
    """Whether the frame, which names queues, is not for whoever asks."""
    return services().settings.has_sign_in and g.viewer is None


def current_urls() -> Urls:
    """Addresses, also when the gate has not been reached."""
    if "urls" not in g:
        g.urls = Urls(request.script_root, services().settings.server_name)
    urls: Urls = g.urls
    return urls


def here() -> str:
    """The address that was asked for."""
    return frame.here()


def with_marker(address: str) -> str:
    """The address that answers with `HX-Refresh` once it can."""
    return address + ("&" if "?" in address else "?") + "recover=1"
