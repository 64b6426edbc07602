"""Signing in and out.

Owns: the form and the cookie. Refuses: to say which of name and password was wrong, and to lead elsewhere.
"""

from __future__ import annotations

import math

from flask import Blueprint, abort, g, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.web import rendering, sessions
from dashboard.web.accounts import Account
from dashboard.web.filters import duration
from dashboard.web.gate import gate
from dashboard.web.urls import OWN, own_path
from dashboard.web.view_models.sign_in import SignInPage

blueprint = Blueprint("sign_in", __name__)


@blueprint.get(f"{OWN}/sign-in")
def show() -> ResponseReturnValue:
    """The form; whoever is signed in already goes on."""
    following = own_path(request.args.get("next", ""), request.script_root)
    if gate().accounts is None or g.viewer is not None:
        return redirect(following or g.urls.overview(), 303)
    return form(following, "", "", 200)


@blueprint.post(f"{OWN}/sign-in")
def sign_in() -> ResponseReturnValue:
    """Check the password and set the cookie."""
    accounts, slow_down, address = gate().accounts, gate().slow_down, request.remote_addr or ""
    if accounts is None:
        abort(404)
    following = own_path(request.form.get("next", ""), request.script_root)
    name = request.form.get("name", "")[:60]
    if (wait := slow_down.wait_seconds(address)) > 0:
        text = f"Too many attempts. Wait {duration(math.ceil(wait))}, then try again."
        return form(following, name, text, 429)
    account = accounts.verify(name, request.form.get("password", ""))
    if account is None:
        slow_down.wrong(address)
        what = "The name or the password" if accounts.asks_name else "The password"
        return form(following, name, f"{what} is wrong.", 401)
    slow_down.right(address)
    return with_cookie(redirect(following or g.urls.overview(), 303), account)


@blueprint.post(f"{OWN}/sign-out")
def sign_out() -> ResponseReturnValue:
    """Forget the cookie."""
    response = redirect(g.urls.sign_in(), 303)
    response.delete_cookie(sessions.COOKIE, path=cookie_path(), httponly=True, samesite="Lax")
    return response


def form(following: str, name: str, error: str, status: int) -> ResponseReturnValue:
    """The form with what was typed but for the password."""
    accounts = gate().accounts
    page = SignInPage(
        title="Sign in",
        action=g.urls.sign_in(),
        next=following,
        name=name,
        error=error,
        asks_name=accounts is not None and accounts.asks_name,
    )
    return rendering.render_lone("pages/sign_in.html", page, status)


def with_cookie(response: Response, account: Account) -> Response:
    """The answer with the session of a person."""
    seconds = gate().settings.session_seconds
    response.set_cookie(
        sessions.COOKIE,
        sessions.issued(account, seconds),
        max_age=seconds,
        path=cookie_path(),
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


def cookie_path() -> str:
    """Only what lies below the proxy's prefix gets the cookie."""
    return f"{request.script_root}/"
