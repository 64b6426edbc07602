"""The jobs of the state machine: what their bytes must be after whatever happened to them.

Owns: how each kind of job is written with its counter and its error. Refuses: to parse. Nothing here reads
bytes, so that what the scripts and `dashboard.queue.job` do to them is held against something made otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

OPEN = b"{"
KINDS: dict[str, tuple[bytes, bytes]] = {
    # What stands before and after the counter. What damages payloads would show: numbers, [] and escapes.
    "last": (
        b'"id":%d,"payload":{"a":[],"n":9007199254740993,"f":0.1234567890123456,"z":1.0},"attempts":',
        b"}",
    ),
    "middle": (b'"id": %d , "attempts"\t: ', b', "payload": {"attempts": 9, "s": "\\u00e9\\/}{"} }'),
    "twice": (b'"attempts":"x","id":%d,"\\u0061ttempts" : ', b"}\n"),
    "absent": (b'"id":%d,"payload":"attempts\\":"', b"}"),
}
READABLE = list(KINDS)
BAD = (
    b"",
    b"not json",
    b"[]",
    b"\xff\x00",
    b'{"attempts":"x"}',
    b'{"attempts":1.0}',
    b'{"id":1,"attempts":0',
)


@dataclass(frozen=True, slots=True)
class ModelJob:
    """One job as it must be now. Equal ones have equal bytes.

    `kind` is one of KINDS, or "bad"; `attempts` is None while an "absent" job has no counter; `spaces` are
    those that keep equal members of a sorted set apart.
    """

    kind: str
    number: int
    attempts: int | None = 0
    error: str = ""
    spaces: int = 0

    @classmethod
    def fresh(cls, kind: str, number: int) -> ModelJob:
        """A job that has never run."""
        return cls(kind, number, None if kind == "absent" else 0)

    @property
    def name(self) -> tuple[str, int]:
        """What stays, whatever happens to it."""
        return self.kind, self.number

    @property
    def is_readable(self) -> bool:
        """Whether it has, or may get, a counter."""
        return self.kind != "bad"

    @property
    def raw(self) -> bytes:
        """Its bytes."""
        spaces = b" " * self.spaces
        if not self.is_readable:
            return BAD[self.number % len(BAD)] + spaces
        before, after = KINDS[self.kind]
        counter = b"" if self.attempts is None else b"%d" % self.attempts
        if self.kind == "absent" and counter:
            counter = b',"attempts":' + counter
        error = b'"error":"%s",' % self.error.encode() if self.error else b""
        return OPEN + error + before % self.number + counter + after + spaces

    def bumped(self) -> ModelJob:
        """One attempt more; a bad one stays as it is."""
        return replace(self, attempts=(self.attempts or 0) + 1) if self.is_readable else self

    def renewed(self) -> ModelJob:
        """Its attempts at 0, where it has any."""
        return self if self.attempts is None else replace(self, attempts=0)

    def failed(self, error: str) -> ModelJob:
        """One attempt more, and its error kept in it."""
        return replace(self.bumped(), error=error) if self.is_readable else self

    def spaced(self) -> ModelJob:
        """One space longer."""
        return replace(self, spaces=self.spaces + 1)

    def may_run(self, max_attempts: int) -> bool:
        """Whether it goes on after an attempt was added: at most `max_attempts` may be on it."""
        return self.is_readable and (self.attempts or 0) <= max_attempts
