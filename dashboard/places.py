"""Where templates and static files are: inside the package (a wheel), or beside it (the repository).

Refuses to guess anywhere else.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """The folder of templates; raises FileNotFoundError when the installation has none."""
    return found("templates")


def static_dir() -> Path:
    """The folder of styles, scripts, fonts and pictures; raises FileNotFoundError when there is none."""
    return found("static")


def found(name: str) -> Path:
    """The first of the two places that exists."""
    places = (PACKAGE / name, PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"no {name} folder at {' or '.join(map(str, places))}: install watchkeeper again")
