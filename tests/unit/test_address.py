"""An address names one exact job in URL-safe text; an act id is a short plain word."""

import re

import pytest

from dashboard.queue.address import Act, Address
from dashboard.queue.job import digest

D = digest(b"x")
NO_SCORES = (b"nan", b" 1", b"1 ", b"1_0", b"(5", b"[a", b"+", b"", b"0x1", b"infinity", b"1\n", b"1\x00")

ADDRESSES = [
    (Address("dead", 120, D, 7), f"dead.120.{D}.7"),
    (Address("pending", 0, D, 0), f"pending.0.{D}.0"),
    (Address("delayed", 5, D, 3, b"1700000000.123"), f"delayed.5.{D}.3.{b'1700000000.123'.hex()}"),
    (Address("delayed", 5, D, 3, b"-inf"), f"delayed.5.{D}.3.2d696e66"),
    (Address("processing", 5, D, 0, worker=b"a.b:\xff\x00 "), f"processing.5.{D}.0.612e623aff0020"),
]


@pytest.mark.parametrize(("address", "text"), ADDRESSES)
def test_an_address_reads_back_from_its_text(address: Address, text: str) -> None:
    assert address.text() == text
    assert Address.parse(text) == address
    assert re.fullmatch(r"[A-Za-z0-9._-]+", text)


@pytest.mark.parametrize(
    "score", [b"0", b"-1.5", b"1e+20", b"1e-7", b"1.5e+300", b"inf", b"-inf", b"9.9999999999999995e-08"]
)
def test_every_score_that_redis_writes_is_one(score: bytes) -> None:
    address = Address("delayed", 1, D, 0, score)
    assert Address.parse(address.text()) == address


@pytest.mark.parametrize(
    "text",
    [
        "", ".", "dead", f"dead.1.{D}", f"trash.1.{D}.0", f"dead.1.{D}.0.ff", f"delayed.1.{D}.0",
        f"processing.1.{D}.0", f"dead.-1.{D}.0", f"dead.1.{D}.-1", f"dead.x.{D}.0", f"dead.1.{D}.x",
        f"dead.1.{D[:-1]}.0", f"dead.1.{D.upper()}.0", f"dead.1.{'g' * 40}.0", f"dead.1.{D}\n.0",
        f"dead.1234567890123.{D}.0", f"dead.1.{D}.1234567890123", f"dead.1.{D}.0.ff.ff",
        f"dead.\u0661.{D}.0", f"dead.1_0.{D}.0", f"dead. 1.{D}.0", f"processing.1.{D}.0.zz",
        f"processing.1.{D}.0.f", f"delayed.1.{D}.0.zz",
        *(f"delayed.1.{D}.0.{score.hex()}" for score in NO_SCORES),
    ],
)  # fmt: skip
def test_other_text_is_none(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - what the message says is for nobody to rely on
        Address.parse(text)


@pytest.mark.parametrize("act_id", ["", "a", "0f" * 16, "A-b_c.1", "x" * 80])
def test_an_act_id_is_a_short_plain_word(act_id: str) -> None:
    assert Act("ann", act_id).id == act_id


@pytest.mark.parametrize("act_id", ["x" * 81, "a b", "a:b", "é", "a\n", "\x00", "{a}"])
def test_other_act_ids_are_refused(act_id: str) -> None:
    with pytest.raises(ValueError, match="up to 80 letters"):
        Act("ann", act_id)
