"""Who may send what here: the host's name, where a form comes from, and what a browser may do with a page.

Owns: the checks before any view and the headers after it. Refuses: to know who is signed in (`gate`).
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from flask import Request, Response

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
"""No inline script or style anywhere, nothing from elsewhere, no frame around us."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def host_name(host: str) -> str:
    """The name in a Host header, without its port, in lower case."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.lower().rstrip(".")


def is_known_host(host: str, configured: str) -> bool:
    """Whether a console without sign-in on loopback answers to this Host header.

    A foreign page can point a name of its own at 127.0.0.1 (DNS rebinding); the name gives it away.
    """
    return host_name(host) in LOOPBACK_NAMES | {configured.lower(), f"[{configured.lower()}]"}


def origin_verdict(request: Request) -> bool | None:
    """Whether a writing request comes from a page of ours: True, False, or None when nothing tells.

    `Sec-Fetch-Site` is written by the browser and cannot be forged by a page; older browsers send `Origin`.
    Only hosts are compared: behind a proxy that ends TLS the scheme is another.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return None
    try:
        netloc = urlsplit(origin).netloc
    except ValueError:
        return False
    return bool(netloc) and netloc.lower() == request.host.lower()


def protect(response: Response) -> Response:
    """Lay the headers of the policy over an answer; pages are never stored."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    return response
