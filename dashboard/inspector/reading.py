"""One round trip for many questions: commands and read-only scripts in one pipeline, each with its reader.

Owns: sending a batch, and what happens where scripts are unknown or denied. Refuses: to write, and to raise
for a key of the wrong type: its reader gets the refusal and says so for that figure alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import redis
import redis.exceptions
from redis.exceptions import RedisClusterException

from dashboard.queue import lua_source
from dashboard.queue.errors import translated
from dashboard.queue.lua_source import LuaSource
from dashboard.queue.permissions import is_closed_key

T = TypeVar("T")
Part = bytes | str | int | float
Command = tuple[Part, ...]


LUA_DIR = Path(__file__).parent / "lua"


@cache
def lua(name: str) -> LuaSource:
    """Return the reading script of lua/NAME.lua of this room."""
    return lua_source.assemble(LUA_DIR / f"{name}.lua")


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """A question: commands, and the function that reads their replies.

    A reply is a value or a `redis.ResponseError`. A key of the wrong type always reaches the reader; with
    `tolerant`, every other refusal does too (a server may forbid CONFIG and still be worth a page).
    """

    commands: tuple[Command, ...]
    read: Callable[[list[Any]], T]
    tolerant: bool = False


@dataclass(frozen=True, slots=True)
class ScriptAsk(Generic[T]):
    """A question asked by a script; `plain` asks the same with plain commands where scripts are denied."""

    source: LuaSource
    keys: tuple[bytes, ...]
    args: tuple[Part, ...]
    read: Callable[[Any], T]
    plain: Callable[[], Ask[T]]

    def by_sha(self) -> Ask[T]:
        """Ask by the script's digest."""
        return self._ask("EVALSHA", self.source.sha)

    def by_source(self) -> Ask[T]:
        """Ask with the source, which the server then remembers."""
        return self._ask("EVAL", self.source.text)

    def _ask(self, verb: str, script: str) -> Ask[T]:
        command: Command = (verb, script, len(self.keys), *self.keys, *self.args)
        return Ask((command,), lambda replies: self.read(raised(replies[0])))


class ServerClock:
    """The server's clock as it was last told, carried on by this machine's steady clock."""

    def __init__(self) -> None:
        self._ahead: float | None = None

    def set(self, now: float) -> None:
        """Take note of what the server just said."""
        self._ahead = now - time.monotonic()

    def now(self) -> float:
        """Return the server's unix seconds, late by an answer's travel; local time before any answer."""
        return time.time() if self._ahead is None else time.monotonic() + self._ahead


@dataclass(slots=True)
class Reader:
    """Sends batches over one client and counts its round trips.

    `scripts_denied` is set at the first refusal of a script by the ACL; from then on plain commands ask.
    """

    client: redis.Redis
    scripts_denied: bool = False
    trip_count: int = 0
    clock: ServerClock = field(default_factory=ServerClock)

    @property
    def is_cluster(self) -> bool:
        """A cluster takes no scripts in a pipeline: each command travels by itself there."""
        return isinstance(self.client, redis.RedisCluster)

    def one(self, ask: Ask[T] | ScriptAsk[T]) -> T:
        """Ask one question in one round trip."""
        answer: T = self.all([ask])[0]
        return answer

    def all(self, asks: Sequence[Ask[Any] | ScriptAsk[Any]]) -> list[Any]:
        """Ask all of them in one round trip and return their answers in order.

        A second trip follows only when the server forgot a script, or denies scripts for the first time.
        Raises ServerAway and ServerRefused.
        """
        with translated():
            turned = [self._turned(ask) for ask in asks]
            replies = self._send(turned)
            again = {
                at: self._second(ask, reply[0])
                for at, (ask, reply) in enumerate(zip(asks, replies, strict=True))
                if isinstance(ask, ScriptAsk) and len(reply) == 1 and isinstance(reply[0], Exception)
            }
            retried = {at: ask for at, ask in again.items() if ask is not None}
            if retried:
                second = self._send(list(retried.values()))
                for at, reply in zip(retried, second, strict=True):
                    turned[at], replies[at] = retried[at], reply
            return [ask.read(_checked(ask, reply)) for ask, reply in zip(turned, replies, strict=True)]

    def _turned(self, ask: Ask[T] | ScriptAsk[T]) -> Ask[T]:
        if isinstance(ask, Ask):
            return ask
        return ask.plain() if self.scripts_denied or self._crosses_slots(ask.keys) else ask.by_sha()

    def _crosses_slots(self, keys: Sequence[bytes]) -> bool:
        """Tell whether a cluster would refuse a script over these keys: the name has no hash tag."""
        client: Any = self.client
        return self.is_cluster and len({client.keyslot(key) for key in keys}) > 1

    def _second(self, ask: ScriptAsk[T], error: Exception) -> Ask[T] | None:
        if isinstance(error, redis.exceptions.NoScriptError):
            return ask.by_source()
        if isinstance(error, redis.exceptions.NoPermissionError):
            self.scripts_denied = self.scripts_denied or not is_closed_key(error)
            return ask.plain()
        return None

    def _send(self, asks: Sequence[Ask[Any]]) -> list[list[Any]]:
        commands = [command for ask in asks for command in ask.commands]
        replies = iter(self._each(commands) if self.is_cluster else self._piped(commands))
        return [[next(replies) for _ in ask.commands] for ask in asks]

    def _piped(self, commands: list[Command]) -> list[Any]:
        if not commands:
            return []
        self.trip_count += 1
        with self.client.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)  # type: ignore[no-untyped-call]
            return pipe.execute(raise_on_error=False)

    def _each(self, commands: list[Command]) -> list[Any]:
        return [
            self._sum_of(command) if command[0] == "EXISTS" else self._alone(command) for command in commands
        ]

    def _sum_of(self, command: Command) -> Any:
        """Return how many keys exist, asked one by one: they may live on several nodes."""
        return sum(raised(self._alone(("EXISTS", key))) for key in command[1:])

    def _alone(self, command: Command) -> Any:
        self.trip_count += 1
        try:
            return self.client.execute_command(*command)  # type: ignore[no-untyped-call]
        except redis.ResponseError as error:
            return error
        except RedisClusterException as error:
            return redis.ResponseError(f"CROSSSLOT {error}")


def raised(reply: Any) -> Any:
    """Return a reply, or raise it when it is a refusal."""
    if isinstance(reply, Exception):
        raise reply
    return reply


def is_wrong_type(reply: Any) -> bool:
    """Tell whether a reply is the refusal of a key of another type."""
    return isinstance(reply, redis.ResponseError) and "WRONGTYPE" in str(reply)


def scored(reply: Any) -> list[tuple[bytes, bytes]]:
    """Return the members and scores of ZRANGE WITHSCORES, whichever protocol brought them."""
    if reply and not isinstance(reply[0], bytes):
        return [(member, _score_text(score)) for member, score in reply]
    return list(zip(reply[::2], reply[1::2], strict=True))


def _score_text(score: Any) -> bytes:
    """Return a score as Redis writes it, from what the client made of it."""
    if isinstance(score, bytes):
        return score
    return b"%d" % int(score) if float(score).is_integer() and abs(score) < 1e17 else repr(score).encode()


def number_or_none(reply: Any) -> int | None:
    """Return a length, or None when its key has another type; other refusals are raised."""
    return None if is_wrong_type(reply) else int(raised(reply))


def _checked(ask: Ask[Any], replies: list[Any]) -> list[Any]:
    for reply in replies:
        if isinstance(reply, Exception) and not is_wrong_type(reply) and not ask.tolerant:
            raise reply
    return replies
