"""The frame of a page: rail, bar, the outcome of the act that led here.

Owns: `Shell` objects. Refuses: to fail; without Redis the frame has fewer figures.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from flask import current_app, g, request

from dashboard.inspector import snapshots
from dashboard.queue.errors import QueueError
from dashboard.web.filters import bytes_size
from dashboard.web.outcomes import Told, said
from dashboard.web.services import services
from dashboard.web.texts import shown
from dashboard.web.urls import OUTCOME_NAMES, Urls, with_query
from dashboard.web.view_models.parts import Link, Notice
from dashboard.web.view_models.shell import QueueLink, Shell

RAILS_KEPT = 64
"""One for each page that somebody looks at: most of them stand as they stood two seconds before."""


def bare(as_of: datetime | None) -> Shell:
    """A frame without figures, for a region and for errors; it reads nothing."""
    return drawn(as_of, None, "")


def full(as_of: datetime | None, current: str | None = None) -> Shell:
    """The frame of a page; figures are at most two seconds old. `current` is the path that is looked at."""
    try:
        read = services().inspector.shell()
    except QueueError:
        return bare(as_of)
    return drawn(as_of, read, f"{request.script_root}{request.path}" if current is None else current)


def drawn(as_of: datetime | None, read: snapshots.Shell | None, current: str) -> Shell:
    """The frame of what was read."""
    urls, settings, viewer = g.urls, services().settings, g.viewer
    queues: tuple[snapshots.RailQueue, ...] = read.queues if read else ()
    return Shell(
        environment=settings.environment,
        server_label=services().server_label,
        server_facts=server_facts(read.health) if read else (),
        home_href=urls.overview(),
        nav=navigation(current),
        queues=queue_links(queues, urls, current),
        more_count=read.queue_count - len(queues) if read else 0,
        more_href=urls.overview(),
        rail_href=urls.rail(current),
        viewer=viewer,
        sign_out_href=urls.sign_out() if viewer else "",
        poll_seconds=current_app.config["POLL_SECONDS"],
        as_of=as_of,
        said=notice(as_of),
        clean_href=clean_href(),
    )


def navigation(current: str) -> tuple[Link, ...]:
    """The pages of the server."""
    urls = g.urls
    of_workers = (urls.workers(), urls.reap_stale())
    return (
        Link("Overview", urls.overview(), current == urls.overview()),
        Link("Workers", urls.workers(), current in of_workers),
    )


@lru_cache(maxsize=RAILS_KEPT)
def queue_links(queues: tuple[snapshots.RailQueue, ...], urls: Urls, path: str) -> tuple[QueueLink, ...]:
    """The queues in the rail; one is current on its own page and on those below it."""
    links = []
    for queue in queues:
        href = urls.queue(queue.name)
        current = path == href or path.startswith(f"{href}/")
        links.append(QueueLink(shown(queue.name), href, current, queue.pending, queue.severity == "urgent"))
    return tuple(links)


def server_facts(health: snapshots.RedisHealth) -> tuple[str, ...]:
    """Two lines about the server."""
    used = bytes_size(health.memory_used_bytes)
    limit = f" of {bytes_size(health.memory_limit_bytes)}" if health.memory_limit_bytes else ""
    persistence = "no persistence" if health.persistence == "none" else health.persistence
    return (
        f"{health.server_kind} {health.version} · {persistence}",
        f"{used}{limit} · {health.eviction_policy}",
    )


def notice(as_of: datetime | None) -> Notice | None:
    """The outcome that the query tells, if any."""
    told = Told.from_query(request.args)
    queue = (request.view_args or {}).get("queue")
    now = as_of.timestamp() if as_of else None
    return said(told, g.urls, queue, now, here()) if told else None


def clean_href() -> str:
    """This address without the outcome of an act; empty when it has none."""
    if "did" not in request.args:
        return ""
    return here()


def here() -> str:
    """The address of the current page, without the outcome of an act."""
    kept = {name: value for name, value in request.args.items() if name not in OUTCOME_NAMES | {"recover"}}
    return with_query(f"{request.script_root}{quoted_path()}", **kept)


def quoted_path() -> str:
    """The path as it was asked for: segments of ours need no quoting, and anything else is quoted again."""
    return request.path if request.path.isascii() and "%" not in request.path else "/"
