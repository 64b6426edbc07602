"""The sentences of errors that have no text of their own.

Owns: title and text by status, and the reasons of our own 403s. Refuses: what varies; callers fill that in.
"""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[int, tuple[str, str]]] = {
    400: ("The request cannot be read", "It was cut or altered on its way. Reload the page and try again."),
    401: ("You are not signed in", "Sign in, then do it again. Scripts sign in with basic auth."),
    403: ("Not allowed", "Your role does not allow this."),
    404: ("No such page", "This address leads nowhere: the link is old, or it was cut on its way."),
    405: ("Not by this method", "Acts are sent by a form, pages are read by a link."),
    409: ("Something else changed it", "What the page showed is no longer so. Reload it and look again."),
    413: ("Too large", "The form is larger than this console takes. Tick fewer rows at once."),
    422: (
        "The form makes no sense",
        "Something that the act needs is missing. Reload the page and try again.",
    ),
    429: ("Too many attempts", "Wait a moment, then try again."),
    500: (
        "Something broke in the console",
        "It is a fault of the console, not of your queue. No job is lost by it.",
    ),
    503: ("Redis is not answering", "The console goes on by itself as soon as it answers."),
}
"""Title and text."""

REASONS: Final[dict[str, str]] = {
    "origin": "This form did not come from a page of this console, so it was not carried out. "
    "Open the console itself and act there; scripts sign in with basic auth.",
    "host": "This console runs without sign-in and answers only under the name of this machine itself: "
    "localhost, 127.0.0.1, or what WATCHKEEPER_HOST says.",
    "job-gone": "This job is no longer in this queue: it was finished, discarded, or the link is too old.",
    "job-bytes": "This job is no longer where the link says. Its page looks for it in the other lists.",
    "nothing-ticked": "No row was ticked. Tick the jobs that the act is meant for, then press the button.",
    "address": "The form names a job in a way that this console does not. Reload the page and try again.",
    "trash": "The form names nothing in the trash. Reload the page and try again.",
    "worker": "The form names no worker. Reload the page and try again.",
    "demo": "That worker is not one of the demo's own processes, so it gets no signal from here.",
    "scope": "The form does not say which jobs it is about. Reload the page and try again.",
}
"""Reasons that our own views give to `abort`, by their word."""
