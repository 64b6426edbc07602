"""One-time ids for the forms of a page.

Owns: their making. Refuses: to remember them; Redis does.
"""

from __future__ import annotations

import secrets
from itertools import count


class ActIds:
    """Fresh ids for one page: 24 random digits of the page and 8 that count, so that a page costs one
    random number. Nobody can guess one before it was drawn.
    """

    def __init__(self) -> None:
        self._page = secrets.token_hex(12)
        self._count = count()

    def next(self) -> str:
        """The next id, 32 hexadecimal digits."""
        return f"{self._page}{next(self._count):08x}"
