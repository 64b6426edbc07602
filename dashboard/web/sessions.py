"""The session cookie: who signed in and until when, signed by a key that the password decides.

Owns: making and reading the cookie's text. Refuses: any state; so a session holds across processes and
restarts, and is void when the password changes or the person is removed. Signing out forgets the cookie.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Final

from dashboard.web.accounts import Account, Accounts

COOKIE: Final = "watchkeeper_session"
LENGTH_MAX: Final = 1000


def issued(account: Account, seconds: int) -> str:
    """The cookie's text for a person who has just signed in; valid for `seconds`."""
    claim = json.dumps({"name": account.name, "until": int(time.time()) + seconds}).encode()
    return f"{encoded(claim)}.{encoded(signature(account, claim))}"


def holder(text: str, accounts: Accounts) -> Account | None:
    """The person that a cookie proves; None when it is none of ours, altered, over, or void."""
    if len(text) > LENGTH_MAX:
        return None
    try:
        claimed, signed = (decoded(part) for part in text.split("."))
        claim = json.loads(claimed)
        name, until = str(claim["name"]), int(claim["until"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    account = accounts.find(name)
    if account is None or not hmac.compare_digest(signature(account, claimed), signed):
        return None
    return account if time.time() < until else None


def signature(account: Account, claim: bytes) -> bytes:
    """What proves that a claim was issued to this person."""
    return hmac.new(account.session_key, claim, hashlib.sha256).digest()


def encoded(raw: bytes) -> str:
    """Bytes as cookie text."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decoded(text: str) -> bytes:
    """The bytes of cookie text; ValueError when it is none."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
