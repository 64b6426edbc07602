"""One page of something long: where it begins and how to go on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """A window over a list, a sorted set, a stream or the workers.

    Positions are opaque texts for the URL: give them back to the method that made them; "" is the start, and
    a text that means nothing any more is read as the start. On lists they count from the right end, so that
    arrivals at the left do not shift an older page.
    """

    #: where this page begins
    at: str
    #: most rows of a page
    size: int
    #: everything there is, at the instant of the snapshot
    total: int
    #: display number of the first row, from 1; 0 when the page is empty or the number is unknown
    first_number: int
    #: the page before, "" being the start; None when this is the start
    previous: str | None
    #: the page after; None when this is the last
    following: str | None
