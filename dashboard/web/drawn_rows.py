"""Rows of the overview and of the rail, drawn once for as long as they say the same.

Owns: what is kept between pages. Refuses: anything but pure functions of their arguments; a row has no act,
so it has no one-time id.
"""

from __future__ import annotations

from functools import lru_cache

from flask import Flask
from markupsafe import Markup

from dashboard.web.view_models.overview import QueueLine
from dashboard.web.view_models.shell import QueueLink

ROWS_KEPT = 2_048
"""About 4 MB: most queues of an overview stand as they stood two seconds before."""
RAILS_KEPT = 64
"""One for each queue that somebody looks at: the rail marks it."""


def install(app: Flask) -> None:
    """Give templates `queue_row` and `rail_links`, which draw partials/queue_row.html and rail_links.html."""
    env = app.jinja_env

    @lru_cache(maxsize=ROWS_KEPT)
    def queue_row(row: QueueLine, oldest: str, has_trend: bool, has_rates: bool) -> Markup:
        macro = env.get_template("partials/queue_row.html").module.queue_row  # type: ignore[attr-defined]
        return Markup(macro(row, oldest, has_trend, has_rates))  # noqa: S704 - a macro's answer is markup

    @lru_cache(maxsize=RAILS_KEPT)
    def rail_links(queues: tuple[QueueLink, ...]) -> Markup:
        macro = env.get_template("partials/rail_links.html").module.rail_links  # type: ignore[attr-defined]
        return Markup(macro(queues))  # noqa: S704 - a macro's answer is markup

    env.globals["queue_row"] = queue_row
    env.globals["rail_links"] = rail_links
