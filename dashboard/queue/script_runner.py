"""How a script is called: by its digest, by its text where the server has forgotten it, never twice.

It owns the round trip and the answer of a wrong key type; what the arguments mean is said in `scripts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis
from redis.exceptions import NoScriptError, ResponseError

from dashboard.queue import lua_source
from dashboard.queue.errors import WrongKeyType, translated
from dashboard.queue.lua_source import LuaSource

Arg = bytes | str | int | float


class ScriptRunner:
    """Runs scripts over one client. Answers are bytes, whatever the client decodes by default."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def run(self, name: str, keys: Sequence[bytes], args: Sequence[Arg]) -> list[Any]:
        """Call lua/NAME.lua once. Raises WrongKeyType and the ServerError family."""
        source = lua_source.load(name)
        with translated():
            try:
                answer = self._client.execute_command(  # type: ignore[no-untyped-call]
                    "EVALSHA", source.sha, len(keys), *keys, *args, NEVER_DECODE=True
                )
            except NoScriptError:
                answer = self._evaluate(source, keys, args)
        return checked(answer)

    def run_many(self, name: str, calls: Sequence[tuple[Sequence[bytes], Sequence[Arg]]]) -> list[list[Any]]:
        """Call one reading script many times in one round trip; once more where the server had forgotten it.

        Wrong key types are left in the answers for `checked`, so that one does not spoil the others.
        """
        source = lua_source.load(name)
        with translated():
            pipeline = self._client.pipeline(transaction=False)
            for keys, args in calls:
                pipeline.execute_command(  # type: ignore[no-untyped-call]
                    "EVALSHA", source.sha, len(keys), *keys, *args, NEVER_DECODE=True
                )
            answers: list[Any] = pipeline.execute(raise_on_error=False)
            for place, answer in enumerate(answers):
                if isinstance(answer, NoScriptError):
                    answers[place] = self._evaluate(source, *calls[place])
                elif isinstance(answer, ResponseError):
                    raise answer
        return answers

    def _evaluate(self, source: LuaSource, keys: Sequence[bytes], args: Sequence[Arg]) -> Any:
        return self._client.execute_command(  # type: ignore[no-untyped-call]
            "EVAL", source.text, len(keys), *keys, *args, NEVER_DECODE=True
        )


def checked(answer: list[Any]) -> list[Any]:
    """Return a script's answer, or raise the WrongKeyType that it tells of."""
    if answer[0] == b"wrongtype":
        raise WrongKeyType(answer[1], answer[2].decode(), answer[3].decode())
    return answer
