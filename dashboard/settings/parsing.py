"""From the text of an environment variable to a value, one small function for each kind.

Each raises ValueError with the rest of a sentence ("must be …"), which the caller puts behind the name of
the variable. None repeats the text that it was given: the caller does, and knows what is secret.
"""

import math
import re
from collections.abc import Callable

from dashboard.queue.server_address import ServerAddress


def text(value: str) -> str:
    """The text itself."""
    return value


def slug(value: str) -> str:
    """A word that can stand in a URL as it is: letters, digits, hyphen and underscore, at most 40."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", value):
        raise ValueError("must be at most 40 letters, digits, hyphens or underscores, beginning with no mark")
    return value


def queue_names(value: str) -> tuple[bytes, ...]:
    """Comma-separated names as bytes, white space around each removed, repeats dropped."""
    names = [name.strip() for name in value.split(",")]
    return tuple(dict.fromkeys(name.encode("utf-8", "surrogateescape") for name in names if name))


def one_of(*choices: str) -> Callable[[str], str]:
    """One of a few words, in any case."""

    def parse(value: str) -> str:
        word = value.lower()
        if word not in choices:
            raise ValueError(f"must be {' or '.join(choices)}")
        return word

    return parse


def yes_or_no(value: str) -> bool:
    """true, yes, on, 1 or false, no, off, 0."""
    word = value.lower()
    if word in {"true", "yes", "on", "1"}:
        return True
    if word in {"false", "no", "off", "0"}:
        return False
    raise ValueError("must be true or false")


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number within limits."""

    def parse(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", value) or not least <= int(value) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(value)

    return parse


def seconds(least: float, most: float) -> Callable[[str], float]:
    """A number of seconds within limits; decimals are allowed."""

    def parse(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise ValueError(f"must be a number of seconds from {least:g} to {most:g}")
        return number

    return parse


def redis_url(value: str) -> str:
    """A URL of a server, of Sentinels or of a cluster, as the library reads it."""
    ServerAddress.parse(value)
    return value
