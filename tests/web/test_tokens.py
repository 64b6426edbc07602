"""Names in addresses: every name has one spelling, every other spelling is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.web.tokens import name_of, token

HOSTILE = [
    b"eu/mail",
    b"x/dead",
    b"..",
    b".",
    b"/lead",
    b"trail/",
    b"a//b",
    b"a b?c#d",
    b"50%41",
    "café+x".encode(),
    b"queue+name",
    b"queue name",
    b'"><svg onload=alert(1)>',
    b"javascript:alert(1)",
    b"q\xff",
    b"a\\b",
    b"~41",
    b"\0",
]


@given(st.binary(max_size=200))
def test_any_name_comes_back_from_its_segment(name: bytes) -> None:
    assert name_of(token(name)) == name


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_two_names_never_share_a_segment(one: bytes, other: bytes) -> None:
    assert (token(one) == token(other)) == (one == other)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_segment_holds_nothing_that_anybody_on_the_way_could_decode(name: bytes) -> None:
    assert not set(token(name)) & set("/%+?#.: \"'<>\\&;=")


def test_plain_names_stay_readable() -> None:
    assert token(b"mail_eu-2") == "mail_eu-2"


@pytest.mark.parametrize(
    "text", ["~2f", "~41", "~", "~2", "~GG", "a/b", "a.b", "café", "~2F~", "a b", "%41", "~~2F"]
)
def test_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"token|spelling"):
        name_of(text)
