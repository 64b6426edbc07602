"""Odd jobs: a seeded stream of bytes that are jobs, nearly jobs, or no jobs at all.

Owns: what a counter, a key, a value and white space may look like in a list that anybody may push to.
Refuses: to say what is right; the tests have an oracle of their own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

BOM = b"\xef\xbb\xbf"
ENDLESS_DIGITS = (15, 16, 17, 18, 19, 20, 40, 400, 4298, 4299, 4300, 4301, 4302)
NUMBERS = (
    "0 -0 1 -1 7 12345678901234567890 -98765432109876543210 9007199254740993 0.1234567890123456789 1.0 -0.0 "
    "1e3 1E+400 5e-324 0.1 1.7976931348623157e308 NaN Infinity -Infinity true false null"
).split()
STRINGS = (
    r"",
    r"a",
    r"attempts",
    r"é\/",
    r"\"",
    r"\\",
    r"\\\"",
    r"}{][,:",
    r"{\"attempts\":9}",
    r",\"attempts\":9}",
    r"\u0000\ud800",
    r"日本 🙂",
    r"\n\t\b\f\r",
    r"\u0061ttempts",
    r"%d %s [%w]* ]]",
)
KEYS = (
    *("id", "payload", "name", "error", "Attempts", "attempt", "attempts ", "a", "", "é", r"\"attempts\""),
    *(r"\\u0061ttempts", r"attempts\u0000", r"\u0061", r"attempts\\", r"x,\"attempts", r"\/attempts"),
)
NO_COUNTERS = (
    *("1.0", "1e3", "true", "false", "null", '"1"', "[]", "{}", "[1]", '{"attempts":1}', "-1.5", "NaN"),
    *("1.0", "1e3", "true", "false", "null", '"1"', "[]", "{}", "[1]", '{"attempts":1}', "01", "-01", "+1"),
    *("1 2", "0x10", "", "-", "--1", "1-", "1_000", "\u0661", "NaN", "00", ".5", "5."),
)


def odd_jobs(count: int, seed: int) -> Iterator[bytes]:
    """Yield `count` of them; equal seeds yield equal bytes."""
    dice = random.Random(seed)
    for _ in range(count):
        raw = OddJob(dice).text().encode("utf-8", "surrogatepass")
        if dice.random() < 0.1:
            raw = BOM + raw
        if dice.random() < 0.2:
            raw = damaged(raw, dice)
        yield raw


class OddJob:
    """One job, written token by token with the white space that its writer likes."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.spaces = dice.choice([("",), ("",), ("", " "), ("", " ", "\n", "\t", "\r", "  \r\n")])

    def text(self) -> str:
        """The whole text, with something before or after it now and then."""
        members = [self.member(self.key(), 3) for _ in range(self.dice.randint(0, 5))]
        for _ in range(self.dice.choice([0, 1, 1, 1, 1, 1, 2, 3])):
            at = len(members) if self.dice.random() < 0.6 else self.dice.randint(0, len(members))
            members.insert(at, self.counter())
        body = f"{{{self.space()}{','.join(members)}}}"
        before, after = self.space(), self.space()
        if self.dice.random() < 0.03:
            after += self.dice.choice(["x", "}", "{}", "null", "\x00", "\v", "\f", ","])
        return before + body + after

    def space(self) -> str:
        """White space where JSON allows it."""
        return self.dice.choice(self.spaces)

    def member(self, key: str, depth: int) -> str:
        """One member with any value."""
        return self.pair(key, self.value(depth))

    def pair(self, key: str, value: str) -> str:
        """One member of an object."""
        return f'{self.space()}"{key}"{self.space()}:{self.space()}{value}{self.space()}'

    def counter(self) -> str:
        """A member that is the counter, or would be if its value were a whole number."""
        return self.pair(self.escaped("attempts"), self.count())

    def count(self) -> str:
        """The counter's value."""
        roll = self.dice.random()
        if roll < 0.6:
            return str(self.dice.choice([0, 1, 2, 9, 10, 99, 100, 999_999, 2**31, 2**53, 2**63, 2**64]))
        if roll < 0.7:
            return self.dice.choice(["-0", "-1", "-2", "-9", "-10", "-11", "-100", "-1000"])
        if roll < 0.82:
            return self.long_count()
        return self.dice.choice(NO_COUNTERS)

    def long_count(self) -> str:
        """More digits than a double holds; runs of nines and noughts carry and borrow."""
        length = self.dice.choice(ENDLESS_DIGITS)
        kind = self.dice.choice(["nines", "noughts", "random", "carry"])
        digits = {
            "nines": "9" * length,
            "noughts": "1" + "0" * (length - 1),
            "carry": "1" * (length // 2) + self.dice.choice("09") * (length - length // 2),
            "random": (f"{self.dice.randrange(10**40):040}" * (length // 40 + 1))[:length],
        }[kind]
        return self.dice.choice(["", "", "-"]) + (digits.lstrip("0") or "0")

    def key(self) -> str:
        """A key, also ones that nearly are the counter's."""
        return self.dice.choice(KEYS)

    def escaped(self, key: str) -> str:
        """The same key, spelled with escapes now and then."""
        if self.dice.random() < 0.75:
            return key
        return "".join(
            f"\\u{ord(c):04{self.dice.choice('xX')}}" if self.dice.random() < 0.4 else c for c in key
        )

    def value(self, depth: int) -> str:
        """Any value, nested up to `depth`, or now and then far deeper."""
        roll = self.dice.random()
        if roll < 0.35 or depth == 0:
            return self.dice.choice(NUMBERS)
        if roll < 0.6:
            return f'"{"".join(self.dice.choices(STRINGS, k=self.dice.randint(0, 4)))}"'
        if roll < 0.6005:
            return "[" * 5000 + "]" * 5000
        inner = range(self.dice.randint(0, 3))
        if roll < 0.8:
            values = [self.space() + self.value(depth - 1) for _ in inner]
            return f"[{self.space()}{','.join(values)}{self.space()}]"
        keys = (self.dice.choice([self.key(), "attempts"]) for _ in inner)
        return f"{{{self.space()}{','.join(self.member(key, depth - 1) for key in keys)}}}"


def damaged(raw: bytes, dice: random.Random) -> bytes:
    """The bytes after an accident: cut, overwritten, doubled, or with a byte too many or too few."""
    at = dice.randint(0, len(raw))
    other = dice.randint(at, min(len(raw), at + 12))
    odd = bytes(dice.choices(b'{}[]",:\\0123456789-aeu \n\x00\x7f\x80\xc3\xff', k=dice.randint(1, 3)))
    match dice.randrange(6):
        case 0:
            return raw[:at]
        case 1:
            return raw[at:]
        case 2:
            return raw[:at] + odd + raw[other:]
        case 3:
            return raw[:at] + odd + raw[at:]
        case 4:
            return raw[:at] + raw[other:]
        case _:
            return raw[:other] + raw[at:]
