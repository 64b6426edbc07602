"""What a page says of the act that led to it: our sentences only, whatever the query holds."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from dashboard.actions.outcome import Outcome
from dashboard.queue.answers import Code, Repeat
from dashboard.web.outcomes import Told, said
from dashboard.web.urls import OUTCOME_NAMES, Urls

URLS = Urls("", "redis")


class Query(dict[str, str]):
    """A query string, read."""

    def __init__(self, text: str) -> None:
        super().__init__({name: values[0] for name, values in parse_qs(text).items()})

    def get(self, key: str, default: str = "") -> str:  # type: ignore[override]
        """The first value."""
        return dict.get(self, key, default)


def sentence(query: str, now: float | None = None) -> str:
    told = Told.from_query(Query(query))
    assert told is not None
    return said(told, URLS, b"mail", now).text


def test_an_outcome_survives_the_redirect() -> None:
    repeat = Repeat(1000.7, "on-call", Code.RETRIED, 3)
    outcome = Outcome("retry", b"mail", 3, 1, 2, 4, 5, repeat, 1, ("1-2", "3-4"), 6, 7, "dead")
    told = Told.of("retried", outcome)
    assert Told.from_query(Query(told.query())) == told


def test_the_names_in_the_query_are_the_ones_that_addresses_leave_out() -> None:
    told = Told("retried", 1, 1, 1, 1, 1, 1, 1, 1, 1, "x", ("1-2",), "dead")
    assert set(parse_qs(told.query())) == OUTCOME_NAMES


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("did=retried&moved=1", "Retried 1 job, with attempts set to 0."),
        (
            "did=retried&moved=1204&newer=17",
            "Retried 1,204 jobs, with attempts set to 0. 17 newer not included.",
        ),
        (
            "did=reaped&moved=2&dead=1",
            "Reaped: 2 jobs went back to pending and 1 job went to dead, over the limit.",
        ),
        ("did=reaped&alive=1", "1 worker beat again, so nothing was taken from it."),
        ("did=restored&moved=1&to=dead", "Restored 1 job to dead."),
        ("did=promoted", "There was nothing to do."),
        ("did=signalled&to=SIGKILL", "Sent SIGKILL to the demo's worker."),
    ],
)
def test_sentences(query: str, text: str) -> None:
    assert sentence(query) == text


def test_a_repeat_names_who_did_it_first_and_when() -> None:
    text = sentence("did=retried&again=1&first=1000&by=on-call", now=1002.5)
    assert text == "Already retried 2 s ago by on-call. Nothing was moved again."


@pytest.mark.parametrize("query", ["", "did=", "did=owned", "did=%3Cb%3E", "moved=3"])
def test_a_query_that_tells_nothing_of_ours_says_nothing(query: str) -> None:
    assert Told.from_query(Query(query)) is None


def test_odd_values_count_as_nothing() -> None:
    told = Told.from_query(
        Query("did=retried&moved=-1&gone=1e9&dead=%D9%A1&undo=x+1-2+../&to=%3Cb%3E&by=" + "x" * 99)
    )
    assert told == Told("retried", by="x" * 60, undo=("1-2",))


def test_undo_is_offered_for_what_was_discarded() -> None:
    told = Told("discarded", 2, undo=("1-2", "3-4"))
    undo = said(told, URLS, b"eu/mail", None).undo
    assert undo is not None
    assert undo.action == "/redis/q/eu~2Fmail/restores"
    assert undo.hidden["trash"] == ["1-2", "3-4"]
    assert said(Told("retried", 2, undo=("1-2",)), URLS, b"mail", None).undo is None


def test_a_reap_of_a_worker_that_is_no_longer_as_shown_speaks_of_the_worker_and_not_of_calls() -> None:
    told = sentence("did=reaped&gone=1&left=2")
    assert told == "1 worker is no longer as this page showed: nothing was taken. Look again."
