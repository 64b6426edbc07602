"""Acts: each is posted, done once, and followed by 303 to where its form stood.

Owns: the routes of all acts. Refuses: roles, bounds and the moving itself (`actions` has them).
"""

from __future__ import annotations

from flask import Blueprint, abort, g
from flask.typing import ResponseReturnValue

from dashboard.actions.outcome import Outcome
from dashboard.web import forms
from dashboard.web.outcomes import Told
from dashboard.web.services import operator

blueprint = Blueprint("acts", __name__)


@blueprint.post("/q/<name:queue>/retries")
def retries(queue: bytes) -> ResponseReturnValue:
    """Dead jobs run again: one, the ticked ones, or all that the page showed the number of."""
    if forms.scope() == "all":
        bound, newest = forms.count("bound"), forms.text("newest")
        outcome = operator().retry_all(queue, bound, newest, forms.act_id())
    else:
        outcome = operator().retry(queue, forms.picks())
    return forms.back_from("retried", queue, "dead", outcome)


@blueprint.post("/q/<name:queue>/promotions")
def promotions(queue: bytes) -> ResponseReturnValue:
    """Delayed jobs run now: one, the ticked ones, or all that are due."""
    if forms.scope() == "all":
        outcome = operator().promote_due(queue, forms.act_id(), forms.count("bound"))
    else:
        outcome = operator().promote(queue, forms.picks())
    return forms.back_from("promoted", queue, "delayed", outcome)


@blueprint.post("/q/<name:queue>/discards")
def discards(queue: bytes) -> ResponseReturnValue:
    """Jobs go to the trash: one, or the ticked ones."""
    if forms.scope() == "all":
        abort(422, "scope")
    picks = forms.picks()
    outcome = operator().discard(queue, picks)
    return forms.back_from("discarded", queue, picks[0][0].place, outcome)


@blueprint.post("/q/<name:queue>/restores")
def restores(queue: bytes) -> ResponseReturnValue:
    """Discarded jobs go back to where they came from."""
    outcomes = [operator().restore(queue, one, act) for one, act in forms.trash_picks()]
    return forms.back_from("restored", queue, "trash", together(outcomes))


@blueprint.post("/q/<name:queue>/reaps")
def reaps(queue: bytes) -> ResponseReturnValue:
    """What one dead worker held goes back, if it has not beaten since the page was drawn."""
    worker = forms.name("worker")
    if worker is None:
        abort(422, "worker")
    outcome = operator().reap(queue, worker, forms.name("seen"), forms.act_id())
    return forms.back_from("reaped", queue, "workers", outcome)


@blueprint.post("/reaps")
def all_reaps() -> ResponseReturnValue:
    """The same for all stale workers and orphan lists, of one queue or of all."""
    outcome = operator().reap_stale(forms.name("queue"), forms.act_id())
    return forms.back_to(Told.of("reaped", outcome), g.urls.workers())


@blueprint.post("/q/<name:queue>/pause")
def pause(queue: bytes) -> ResponseReturnValue:
    """Workers of ours take no new job."""
    return forms.back_from("paused", queue, "", operator().pause(queue, forms.act_id()))


@blueprint.post("/q/<name:queue>/resume")
def resume(queue: bytes) -> ResponseReturnValue:
    """They take jobs again."""
    return forms.back_from("resumed", queue, "", operator().resume(queue, forms.act_id()))


def together(outcomes: list[Outcome]) -> Outcome:
    """Several restores as one outcome."""
    places = {one.place for one in outcomes if one.moved_count}
    repeats = [one for one in outcomes if one.repeated]
    return Outcome(
        "restore",
        outcomes[0].queue,
        moved_count=sum(one.moved_count for one in outcomes),
        gone_count=sum(one.gone_count for one in outcomes),
        repeated=repeats[0].repeated if repeats else None,
        repeated_count=len(repeats),
        place=places.pop() if len(places) == 1 else "",
    )
