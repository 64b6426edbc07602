"""The refusal of an act, before anything has moved.

Owns: the one exception of this room. What the library refuses (wrong key types, no permission, a server
that is away) passes through as its own `QueueError`.
"""

from __future__ import annotations

FORBIDDEN = 403
CONFLICT = 409
UNPROCESSABLE = 422


class Refused(Exception):
    """An act was not started, and nothing moved.

    `reason` is a sentence for a person. `status` is the HTTP status that says the same: 403 the role is too
    low, 409 the queue or list is not what the page showed, 422 the request makes no sense.
    """

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
