"""Styles, scripts, fonts and pictures: addresses that change with the content, so that they can be kept.

Owns: the template global `asset` and how long browsers keep a file. Refuses: to build anything.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Flask, Response, g, request

from dashboard.places import static_dir

KEPT_SECONDS = 31_536_000


def install(app: Flask) -> None:
    """Give templates `asset`, and mark what may be kept."""
    app.jinja_env.globals["asset"] = asset
    app.after_request(mark_kept)


def asset(path: str) -> str:
    """The address of a file below static/: `asset("css/app.css")`."""
    address: str = g.urls.asset(path, version(path))
    return address


@cache
def version(path: str) -> str:
    """Ten digits of the file's hash; a file that is missing has none, and a test finds it."""
    file = static_dir() / Path(path)
    if not file.is_file():
        return "missing"
    return hashlib.sha256(file.read_bytes()).hexdigest()[:10]


def mark_kept(response: Response) -> Response:
    """A file asked for by its hash never changes; by its plain name it is asked for again each time."""
    if request.endpoint == "static" and response.status_code in (200, 304):
        is_versioned = "v" in request.args
        kept = f"public, max-age={KEPT_SECONDS}, immutable" if is_versioned else "no-cache"
        response.headers["Cache-Control"] = kept
    return response
