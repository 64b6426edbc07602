"""The gate before every view: which host was asked, where a form comes from, who is asking.

Owns: the actor of a request (`g.actor`, `g.viewer`). Refuses: roles; `actions` holds them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict

from flask import Flask, current_app, g, redirect, request
from werkzeug.datastructures import Authorization
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException, Unauthorized
from werkzeug.wrappers import Response

from dashboard.actions.roles import Actor, Role
from dashboard.settings import Settings
from dashboard.web import rendering, security, sessions
from dashboard.web.accounts import Account, Accounts, SingleOperator, UsersFile
from dashboard.web.slow_down import SlowDown
from dashboard.web.urls import OWN, Urls
from dashboard.web.view_models.shell import Viewer

PROVEN_MAX = 256
OPEN_PATHS = (f"{OWN}/static/", f"{OWN}/sign-in", f"{OWN}/health")


class Gate:
    """The door of one application."""

    def __init__(self, settings: Settings) -> None:
        """SettingsError when the users file cannot be used."""
        self.settings = settings
        self.accounts: Accounts | None = None
        if settings.users_file:
            self.accounts = UsersFile(settings.users_file)
        elif settings.password:
            self.accounts = SingleOperator(settings.operator_name, settings.password)
        self.slow_down = SlowDown()
        self._proof_key = secrets.token_bytes(32)
        self._proven: OrderedDict[bytes, str] = OrderedDict()

    @property
    def is_loopback_only(self) -> bool:
        """Whether nobody signs in, so that only this machine may ask."""
        return self.accounts is None

    def install(self, app: Flask) -> None:
        """Stand before every view of the application."""
        app.before_request(self.admit)
        app.after_request(security.protect)

    def admit(self) -> Response | None:
        """Let the request through as somebody, or answer it."""
        g.urls = Urls(request.script_root, self.settings.server_name)
        g.actor, g.viewer = Actor(self.settings.operator_name, Role.VIEWER), None
        if self.is_loopback_only and not security.is_known_host(request.host, self.settings.host):
            raise Forbidden("host")
        basic = credentials()
        by_basic = basic is not None and basic.type == "basic"
        account = self.identify() if self.accounts else None
        if request.method not in security.SAFE_METHODS:
            verdict = security.origin_verdict(request)
            tells_nothing = verdict is None and not self.is_loopback_only
            if verdict is False or (tells_nothing and not (by_basic and account)):
                raise Forbidden("origin")
            read_form()
        if self.accounts is None:
            g.actor = Actor(self.settings.operator_name, Role.ADMIN)
            return None
        if account is None:
            return None if request.path.startswith(OPEN_PATHS) else self.turned_away()
        g.actor, g.viewer = Actor(account.name, account.role), Viewer(account.name, account.role)
        return None

    def identify(self) -> Account | None:
        """Who the request proves to come from, by basic auth or else by cookie."""
        assert self.accounts is not None
        basic = credentials()
        if basic is not None and basic.type == "basic":
            return self.verified(basic.username or "", basic.password or "")
        return sessions.holder(request.cookies.get(sessions.COOKIE, ""), self.accounts)

    def verified(self, name: str, password: str) -> Account | None:
        """The person of a name and password; remembered, since the proof is costly on purpose."""
        assert self.accounts is not None
        address = request.remote_addr or ""
        known = self.accounts.find(name)
        proof = hmac.new(self._proof_key, f"{name}\0{password}".encode(), hashlib.sha256).digest()
        if known and self._proven.get(proof) == known.secret:
            return known
        if self.slow_down.wait_seconds(address) > 0:
            return None
        account = self.accounts.verify(name, password)
        if account is None:
            self.slow_down.wrong(address)
            return None
        self.slow_down.right(address)
        self._proven[proof] = account.secret
        while len(self._proven) > PROVEN_MAX:
            self._proven.popitem(last=False)
        return account

    def turned_away(self) -> Response:
        """Nobody is signed in: the form for a page, 401 for the rest."""
        here = f"{request.script_root}{request.full_path.rstrip('?')}"
        if request.headers.get("HX-Request") == "true":
            back = here if request.method == "GET" else ""
            return Response(status=401, headers={"HX-Redirect": g.urls.sign_in(back), "Vary": rendering.VARY})
        asks_for_page = "text/html" in request.headers.get("Accept", "") and credentials() is None
        if request.method in security.SAFE_METHODS and asks_for_page:
            return redirect(g.urls.sign_in(here), 303)
        raise Unauthorized("sign-in")


def credentials() -> Authorization | None:
    """What the request says to prove itself by; None also where its bytes make no sense."""
    try:
        return request.authorization
    except ValueError:
        # Werkzeug passes on what base64 says of signs outside of ASCII.
        return None


def read_form() -> None:
    """Read the body now. 400 when it was torn or its chunks are none; Flask keeps what was read."""
    try:
        _ = request.form
    except HTTPException:
        raise
    except Exception as error:
        # Servers raise what they like from the body that they hand over: gunicorn, exceptions of its own.
        raise BadRequest from error


def gate() -> Gate:
    """The door of the application that answers the current request."""
    found: Gate = current_app.extensions["watchkeeper.gate"]
    return found
