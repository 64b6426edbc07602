"""How one exact job is named by whoever looks at it, and the one-time id of an operator's act."""

from __future__ import annotations

import re
from dataclasses import dataclass

PLACES = ("pending", "processing", "delayed", "dead")
_SCORE = re.compile(rb"-?(?:inf|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)")
_DIGEST = re.compile(r"[0-9a-f]{40}")
_ACT_ID = re.compile(r"[A-Za-z0-9_.-]{0,80}")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a job was seen and what proves that it is still that one.

    `place`: pending, processing, delayed or dead. `length`: bytes. `digest`: see `job.digest`. `hint`:
    its index from the right end of a list, which is stable, or its rank in delayed. `score`: its due
    time as Redis wrote it, in delayed only. `worker`: whose list, in processing only.
    """

    place: str
    length: int
    digest: str
    hint: int
    score: bytes | None = None
    worker: bytes | None = None

    def text(self) -> str:
        """Return the address as URL-safe text; `parse` reads it back."""
        extra = self.score if self.place == "delayed" else self.worker
        tail = f".{extra.hex()}" if extra else ""
        return f"{self.place}.{self.length}.{self.digest}.{self.hint}{tail}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address. Raises ValueError where the text is none."""
        place, length, digest, hint, *extra = text.split(".")
        if place not in PLACES or not _DIGEST.fullmatch(digest) or len(extra) > 1:
            raise ValueError("not an address")
        if (place in ("delayed", "processing")) != bool(extra):
            raise ValueError("not an address")
        if not (length.isascii() and length.isdigit() and hint.isascii() and hint.isdigit()):
            raise ValueError("not an address")
        if max(len(length), len(hint)) > 12:
            raise ValueError("not an address")
        tail = bytes.fromhex(extra[0]) if extra else None
        score, worker = (tail, None) if place == "delayed" else (None, tail)
        if score is not None and not _SCORE.fullmatch(score):
            raise ValueError("not an address")
        return cls(place, int(length), digest, int(hint), score, worker)


@dataclass(frozen=True, slots=True)
class Act:
    """Who acts, and a one-time id under which the first answer is kept for a day.

    Daemons act without an id.
    """

    actor: str
    id: str = ""

    def __post_init__(self) -> None:
        if not _ACT_ID.fullmatch(self.id):
            raise ValueError("an act id has up to 80 letters, digits, dots, dashes and underscores")
