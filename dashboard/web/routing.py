"""Where the blueprints are mounted: pages of the server below its slug, our own below `/-/`.

Owns: that, and the 404 of another server's slug. Refuses: routes of its own.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Flask, abort, g

from dashboard.web.services import services
from dashboard.web.views import acts, demo, jobs, overview, own, queues, reaps, sign_in, workers

OF_THE_SERVER: tuple[Blueprint, ...] = (
    overview.blueprint,
    workers.blueprint,
    queues.blueprint,
    jobs.blueprint,
    reaps.blueprint,
    acts.blueprint,
    demo.blueprint,
)


def install(app: Flask) -> None:
    """Register them all."""

    def take_server(endpoint: str | None, values: dict[str, Any] | None) -> None:  # noqa: ARG001
        g.asked_server = (values or {}).pop("server", None)

    def check_server() -> None:
        if g.asked_server not in (None, services().settings.server_name):
            abort(404)

    app.url_value_preprocessor(take_server)
    # After the gate, so that a stranger learns nothing from the answer.
    app.before_request(check_server)
    for blueprint in OF_THE_SERVER:
        app.register_blueprint(blueprint, url_prefix="/<server>")
    app.register_blueprint(sign_in.blueprint)
    app.register_blueprint(own.blueprint)
