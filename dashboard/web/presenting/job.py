"""A job's own page.

Owns: where it is said to be, its facts, its acts. Refuses: to parse the job (the inspector did).
"""

from __future__ import annotations

import shlex

from dashboard.inspector.snapshots import JobView
from dashboard.web.filters import bytes_size, iso
from dashboard.web.presenting.job_lines import job_acts, limit_note
from dashboard.web.presenting.scene import Scene
from dashboard.web.presenting.timeline import event_line
from dashboard.web.texts import moment, plural, shown
from dashboard.web.view_models.job import JobPage
from dashboard.web.view_models.parts import Fact


def job_page(scene: Scene, read: JobView, digest: str, id_text: str) -> JobPage:
    """The page object; `digest` and `id_text` are what the link looked for."""
    summary, row, place = read.queue, read.row, read.place or ""
    name = shown(summary.name)
    heading = row.id_text if row else shown(id_text) if id_text else f"Job {digest[:12]}"
    list_href = scene.urls.place(summary.name, place)
    may_act = scene.may_act and not summary.ambiguous and row is not None
    is_json = bool(row and row.readable)
    return JobPage(
        title=f"{heading} · {name}",
        queue=name,
        queue_href=scene.urls.queue(summary.name),
        heading=heading,
        place=place,
        place_text=place_text(read),
        place_href=list_href,
        live_href=scene.here,
        facts=facts(read),
        payload=read.pretty,
        payload_label="Job" if is_json else "Bytes (no job)",
        payload_note=f"Cut: {bytes_size(len(read.raw))} of {bytes_size(row.length)} shown."
        if row and read.cut
        else "",
        members=tuple(Fact(member, text) for member, text in read.members),
        error=read.error,
        traceback=read.traceback,
        events=tuple(event_line(one) for one in read.events),
        events_note="" if read.events else "The flight recorder names no event of this job.",
        bytes_href=scene.urls.job_bytes(summary.name, read.address) if read.address else "",
        command=command(read),
        acts=job_acts(scene, summary, place, row, back=list_href, kind="plain") if may_act and row else (),
        now=scene.now,
    )


def place_text(read: JobView) -> str:
    """Where it is, in a sentence."""
    address, search = read.address, read.search
    if address is None:
        if search.complete:
            return "No longer in this queue."
        looked = f"{search.looked_count:,} of {plural(search.total_count, 'job')}"
        return f"Not found so far: looked at {looked}."
    if address.place == "processing":
        where = f"Held by {shown(address.worker or b'')}"
    else:
        where = address.place.capitalize()
    moved = ", no longer where the link says" if read.moved else ""
    others = (
        f" {plural(read.others_count, 'other entry', 'other entries')} with this id."
        if read.others_count
        else ""
    )
    return f"{where}{moved}.{others}"


def facts(read: JobView) -> tuple[Fact, ...]:
    """What is known of the job, a line each."""
    row, limit = read.row, read.queue.policy.max_attempts
    if row is None or read.address is None:
        return ()
    found = []
    if row.attempts is not None:
        note = limit_note(row.attempts, limit) or f"limit {limit:,}"
        found.append(Fact("Attempts", f"{row.attempts:,}", note))
    elif row.attempts_text:
        found.append(Fact("Attempts", row.attempts_text, "no whole number: retry refuses it"))
    found += [Fact("Name", row.name)] if row.name else []
    failed = "Died" if read.address.place == "dead" else "Failed"
    for label, at in (("Enqueued", row.enqueued_at), (failed, row.failed_at), ("Due", row.due)):
        if at is not None:
            stamp = moment(at)
            found.append(Fact(label, iso(stamp) if stamp else f"never ({at})"))
    found += [Fact("Mark", row.mark)] if row.mark else []
    found.append(Fact("Size", bytes_size(row.length)))
    found.append(Fact("Digest", read.address.digest))
    return tuple(found)


def command(read: JobView) -> str:
    """`watchkeeper jobs` for this job, quoted for a shell; empty for names that cannot be typed."""
    queue, row = read.queue.name.decode("utf-8", "replace"), read.row
    if row is None or not row.id_is_text or shown(read.queue.name) != queue:
        return ""
    is_exact = row.id_text.isprintable() and not set(row.id_text) & {"\\", "…"}
    if not is_exact or queue.startswith("-") or row.id_text.startswith("-"):
        return ""
    return f"watchkeeper jobs {shlex.quote(queue)} --id {shlex.quote(row.id_text)}"
