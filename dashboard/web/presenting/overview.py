"""The overview page.

Owns: its heading, findings with their act, the table of queues. Refuses: ranking (the inspector did).
"""

from __future__ import annotations

from functools import lru_cache

from dashboard.inspector.snapshots import Finding, Overview, QueueSummary
from dashboard.web.filters import number
from dashboard.web.presenting import heads
from dashboard.web.presenting.scene import Scene
from dashboard.web.texts import moment, plural, shown
from dashboard.web.urls import Urls, dom_id
from dashboard.web.view_models.overview import FindingLine, OverviewPage, QueueLine
from dashboard.web.view_models.parts import Act, Link

WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
ALL_WELL = "All is well: every queue has its workers, nothing is overdue and nobody is silent."
ALARMING_PENDING_CODES = frozenset({"no-live-worker", "no-worker"})
LINES_KEPT = 2_048
TREND_POINTS = 42
"""Points of a sparkline: one for every second pixel."""
TREND_WIDTH, TREND_HEIGHT, TREND_MARGIN = 84.0, 22.0, 2.4


def overview_page(scene: Scene, read: Overview, server_label: str) -> OverviewPage:
    """The page object."""
    stuck = {one.queue for one in read.findings if one.code in ALARMING_PENDING_CODES}
    queues = tuple(kept_line(scene.urls, one, one.name in stuck) for one in read.queues)
    summary = (
        f"{plural(len(queues), 'queue')}, {plural(read.worker_total, 'worker')}, "
        f"{plural(read.waiting_total, 'job')} waiting"
    )
    return OverviewPage(
        title="Overview",
        heading=heading(read),
        summary=summary,
        live_href=scene.here,
        findings=tuple(finding_line(scene, one) for one in read.findings),
        all_well="" if read.findings or not queues else ALL_WELL,
        queues=queues,
        order_note="sorted by what needs attention" if len(queues) > 1 else "",
        scan_note=scan_note(read),
        empty="" if queues else empty_text(read, server_label),
        empty_hint="" if queues else 'watchkeeper enqueue mail \'{"to": "you"}\'',
        pager=None,
        now=scene.now,
    )


def heading(read: Overview) -> str:
    """How many things need somebody."""
    grave = sum(1 for one in read.findings if one.severity != "note")
    if not grave:
        if not read.queues:
            return "No queue yet"
        return "Nothing urgent" if read.findings else "Nothing needs you"
    word = WORDS[grave] if grave < len(WORDS) else f"{grave:,}"
    return f"{word} thing needs you" if grave == 1 else f"{word} things need you"


def finding_line(scene: Scene, finding: Finding) -> FindingLine:
    """One sentence with its act: a form for what moves jobs at once, a link for what shows them first."""
    link, act = finding_act(scene, finding)
    queue = finding.queue if finding.queue is not None else b""
    return FindingLine(
        dom_id=dom_id("f", finding.code, queue),
        severity=finding.severity,
        sentence=finding.sentence,
        detail=finding.detail,
        link=link,
        act=act,
    )


def finding_act(scene: Scene, finding: Finding) -> tuple[Link | None, Act | None]:
    """What to do about it, as far as this reader may."""
    to, urls = finding.act, scene.urls
    if to is None:
        return None, None
    if to.kind == "reap-stale":
        return (Link(to.label, urls.reap_stale(to.queue)) if scene.may_act else None), None
    if to.queue is None:
        return Link(to.label, urls.workers()), None
    if to.kind == "reap":
        can = scene.may_act and to.worker is not None
        return (Link(to.label, urls.reap(to.queue, to.worker or b"")) if can else None), None
    if to.kind == "promote-due" and scene.may_act:
        fields = (("scope", "all"), ("bound", str(to.count)), ("newest", ""))
        action = urls.act(to.queue, "promotions")
        return None, scene.act(
            to.label, action, *fields, kind="plain", name=f"{to.label} of {shown(to.queue)}"
        )
    place = "delayed" if to.kind == "promote-due" else to.place
    label = "Open delayed" if to.kind == "promote-due" else to.label
    return Link(label, urls.place(to.queue, place)), None


_kept: dict[tuple[Urls, bytes], tuple[QueueSummary, bool, QueueLine]] = {}


def kept_line(urls: Urls, summary: QueueSummary, stuck: bool) -> QueueLine:
    """The row, built once for each summary: the inspector gives the same one while nothing has changed."""
    kept = _kept.get((urls, summary.name))
    if kept and kept[0] is summary and kept[1] is stuck:
        return kept[2]
    if len(_kept) >= LINES_KEPT:
        _kept.clear()
    line = queue_line(urls, summary, stuck)
    _kept[urls, summary.name] = summary, stuck, line
    return line


def queue_line(urls: Urls, summary: QueueSummary, stuck: bool) -> QueueLine:
    """One row of the table."""
    base, depths = urls.queue(summary.name), summary.depths
    rates = summary.rates
    line, area = trend(summary.pending_trend)
    return QueueLine(
        dom_id=dom_id("q", summary.name),
        name=shown(summary.name),
        href=base,
        pending=depths.pending,
        pending_href=f"{base}/pending",
        pending_alarm=stuck,
        processing=depths.processing,
        processing_href=f"{base}/processing",
        delayed=depths.delayed,
        delayed_href=f"{base}/delayed",
        overdue=depths.overdue or 0,
        dead=depths.dead,
        dead_href=f"{base}/dead",
        dead_alarm=bool(depths.dead),
        workers=heads.state_counts(summary.workers),
        workers_href=f"{base}/workers",
        oldest_pending_at=moment(summary.oldest_pending_at),
        in_out=f"{number(rates.enqueued_per_second)} / {number(rates.finished_per_second)}" if rates else "",
        badges=tuple(one for one in heads.badges(summary) if one != "reaped by hand"),
        faults=summary.faults,
        trend_line=line,
        trend_area=area,
    )


@lru_cache(maxsize=4096)
def trend(figures: tuple[int, ...]) -> tuple[str, str]:
    """Path data of a sparkline from zero up, and of the area under it; empty under two figures.

    Each point is the largest of its stretch, so that a short peak is not lost.
    """
    if len(figures) < 2:
        return "", ""
    stretch = -(-len(figures) // TREND_POINTS)
    peaks = [max(figures[at : at + stretch]) for at in range(0, len(figures), stretch)]
    step = TREND_WIDTH / max(1, len(peaks) - 1)
    foot = TREND_HEIGHT - TREND_MARGIN
    scale = (foot - TREND_MARGIN) / max(*peaks, 1)
    line = "M" + " L".join([f"{at * step:.1f},{foot - peak * scale:.1f}" for at, peak in enumerate(peaks)])
    return line, f"{line} L{TREND_WIDTH:g},{TREND_HEIGHT:g} L0,{TREND_HEIGHT:g}Z"


def scan_note(read: Overview) -> str:
    """How far the search for queues has come; empty when it is through."""
    scan = read.scan
    if scan.complete:
        return ""
    share = min(99, 100 * scan.scanned_count // scan.key_count) if scan.key_count else 0
    return f"Found so far: scanned {share} % of {plural(scan.key_count, 'key')}."


def empty_text(read: Overview, server_label: str) -> str:
    """Where was looked, and what a queue is."""
    return (
        f"No queue in {server_label}, which holds {plural(read.scan.key_count, 'key')}. A queue appears with "
        "its first job: a list named <name>:pending."
    )
