"""The sign-in form.

Owns: the page object of `pages/sign_in.html`. Refuses: to say whether a name exists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dashboard.web.view_models.parts import UNTAGGED


@dataclass(frozen=True, slots=True)
class SignInPage:
    """`/sign-in`: fields `name`, `password` and the hidden `next`."""

    title: str
    action: str
    next: str
    """Where to go after it, a path of this console; may be empty."""
    name: str
    """What was typed before."""
    error: str
    """"Name or password is wrong", "Too many attempts, wait 8 s"; empty at first."""
    asks_name: bool
    """False when there is one password for a single operator."""
    now: datetime | None = field(default=None, metadata=UNTAGGED)
