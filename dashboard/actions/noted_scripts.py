"""The scripts as acts call them: it is noted when one may have changed something.

Owns: that one note. Refuses: to decide what to say of it; the console and the command line have words of
their own for an act whose answer never came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis

from dashboard.queue.errors import ServerAway, was_never_sent
from dashboard.queue.script_runner import Arg
from dashboard.queue.scripts import Scripts

READING = frozenset({"locate", "peek"})


class NotedScripts(Scripts):
    """Scripts over one client, for one act.

    `may_have_acted` turns true with the first writing call that happened or whose reply was lost.
    """

    def __init__(self, client: redis.Redis) -> None:
        super().__init__(client)
        self.may_have_acted = False
        self._call, self._run = self._run, self._noted

    def _noted(self, name: str, keys: Sequence[bytes], args: Sequence[Arg]) -> list[Any]:
        try:
            answer = self._call(name, keys, args)
        except ServerAway as error:
            if name not in READING and not was_never_sent(error):
                self.may_have_acted = True
            raise
        if name not in READING:
            self.may_have_acted = True
        return answer
