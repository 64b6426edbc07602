"""What needs a person: one sentence, one cause, one act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["urgent", "soon", "note"]
ActKind = Literal["reap", "reap-stale", "promote-due", "open"]


@dataclass(frozen=True, slots=True)
class FindingAct:
    """The one thing to do about a finding. The web turns it into a link or a form.

    `reap` previews one worker (`worker`), `reap-stale` all that may be reaped in a queue, `promote-due` moves
    what is due, `open` shows `place` of the queue ("dead", "workers", "delayed", "" = the queue itself).
    """

    label: str
    kind: ActKind
    queue: bytes | None
    place: str = ""
    worker: bytes | None = None
    #: jobs that the act is about
    count: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence of the diagnosis; `Overview.findings` has the gravest first."""

    severity: Severity
    #: None = the server itself
    queue: bytes | None
    #: stable word for tests and styles, such as "no-live-worker"
    code: str
    #: begins with the queue's name where there is one
    sentence: str
    detail: str
    act: FindingAct | None
