"""The exceptions of the queue, and the one place where redis-py's are translated into them.

    QueueError
    ├── BadName                a queue or worker name that cannot be used
    │   ├── ReservedName       it has a segment that is one of our key suffixes
    │   └── AmbiguousQueue     a found key that two names explain; acts refuse it
    ├── BadAddress             a URL of Redis, or files of TLS, that cannot be used
    ├── BadPolicy              thresholds that would declare healthy workers dead
    ├── BadAssignment          queues for one worker that do not go together, or weights that do not fit them
    ├── BadHandler             `module:function` that cannot be loaded or called
    ├── BadTimeLimit           a time limit that is none, or that nothing could keep
    ├── JobTooLarge            over the size limit at enqueue; nothing was stored
    ├── AlreadyDelayed         exactly these bytes are delayed already; their due time stays
    ├── UnreadableJob          bytes that are no job; they are kept as they are
    ├── WrongKeyType           a key holds another Redis type; nothing was moved
    ├── WorkerNameTaken        a live worker already beats under that name
    └── ServerError
        ├── ServerAway         no answer: down, frozen, loading, cut
        ├── ServerRefused      an answer, but a refusal: NOPERM, OOM, READONLY, …
        └── OutcomeUnknown     a write was sent and its reply never came

It refuses to know where an error is shown: sentences here name the queue, key or command, and the
console and the command line decide about status and exit code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis.exceptions as client_errors

from dashboard.queue.tls import ENDED, refusal_of, was_ended


class QueueError(Exception):
    """Anything the queue refuses or could not do. Its text is one sentence fit for a screen."""


class BadName(QueueError):
    """A queue or worker name that is empty, too long or otherwise unusable."""


class ReservedName(BadName):
    """A name with a `:`-segment that is one of the queue's own key suffixes."""


class AmbiguousQueue(BadName):
    """A key that was found in Redis and that two different names explain. It is shown, never acted on."""


class BadAddress(QueueError):
    """A URL of Redis, or files of TLS, that cannot be used. Its text never repeats the URL."""


class BadPolicy(QueueError):
    """Thresholds that contradict each other, such as a beat longer than a third of the threshold."""


class BadAssignment(QueueError):
    """No queue, one named twice, or weights that do not fit the queues."""


class BadHandler(QueueError):
    """A handler path that cannot be imported, is not callable or takes no job."""


class BadTimeLimit(QueueError):
    """A time limit that is no fit number of seconds, or for a worker outside its process's main thread."""


class JobTooLarge(QueueError):
    """A job over the size limit, refused before anything was stored."""


class AlreadyDelayed(QueueError):
    """A job that is delayed already, byte for byte. Its first due time stays."""


class UnreadableJob(QueueError):
    """Bytes that are no JSON object. Whoever meets them keeps them unchanged."""


class WrongKeyType(QueueError):
    """A key holds another Redis type than the queue needs. Raised before the first write.

    `key` is the key's bytes, `want` and `got` are Redis type names.
    """

    def __init__(self, key: bytes, want: str, got: str) -> None:
        super().__init__(
            f"{key.decode('utf-8', 'backslashreplace')} is a {got} in Redis, not a {want}. "
            f"Nothing was moved. Rename or remove that key first."
        )
        self.key = key
        self.want = want
        self.got = got


class WorkerNameTaken(QueueError):
    """Another live worker beats under the same explicit name."""


class ServerError(QueueError):
    """The server did not do what was asked."""


class ServerAway(ServerError):
    """No usable answer from the server: refused, timed out, cut, still loading or busy in a script."""


class ServerRefused(ServerError):
    """The server answered with a refusal. `code` is its first word, such as NOPERM or OOM."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class OutcomeUnknown(ServerError):
    """A write was sent, its reply was lost, and whether it happened is not known."""


class Unfound(client_errors.ConnectionError):
    """Nobody that was asked, Sentinel or node of a cluster, names the server. Nothing was sent to one."""

    def __init__(self, what: str, said: str) -> None:
        # "connecting to": by these words of redis-py too a reader knows that nothing was sent.
        super().__init__(f"Error connecting to Redis: {what} ({said})")
        self.sentence = f"Redis cannot be reached: {what} ({said})."


AWAY_CODES = frozenset(
    {"LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "UNBLOCKED"}
)
"""Refusals that pass by themselves: treated like an absent server.

UNBLOCKED ends a claim that waits on a server which has just become a replica. MOVED and ASK tell that a slot
of a cluster has or is moving to another node; the next connection looks for its owner.
"""

_SENTENCES = {
    "NOPERM": "Redis does not allow this user that command (NOPERM). Nothing was changed.",
    "NOAUTH": "Redis wants a password (NOAUTH).",
    "WRONGPASS": "Redis refused the user name or password (WRONGPASS).",
    "READONLY": "This Redis is a read-only replica (READONLY). Nothing was changed.",
    "OOM": "Redis is out of memory (OOM) and refused the write. Nothing was moved.",
    "MISCONF": "Redis cannot save to disk and refuses writes (MISCONF). Nothing was changed.",
    "NOREPLICAS": "Redis has too few replicas and refuses writes (NOREPLICAS). Nothing was changed.",
    "CROSSSLOT": "In a cluster a queue's name needs a hash tag, such as {mail}. Nothing was moved.",
    "WRONGTYPE": "A key holds another Redis type than the queue needs (WRONGTYPE).",
}

_NOPERM_IN_SCRIPT = ("ACL failure in script", "The user executing the script can't")
_HALFWAY = (
    "Redis does not allow this user every command that this needs (NOPERM). "
    "No job was lost, but one may stand in two places."
)
_IS_FULL = "max number of clients reached"
_FULL = "Redis takes no more connections: its maximum number of clients is reached (maxclients)."


def refusal_code(error: client_errors.ResponseError) -> str:
    """Return the first word of a server's refusal, such as `NOPERM`, or `ERR`.

    redis-py strips the word for the errors that have a class of their own; those are named again here.
    """
    named: tuple[tuple[type[Exception], str], ...] = (
        (client_errors.NoPermissionError, "NOPERM"),
        (client_errors.ReadOnlyError, "READONLY"),
        (client_errors.OutOfMemoryError, "OOM"),
        (client_errors.NoScriptError, "NOSCRIPT"),
        (client_errors.MasterDownError, "MASTERDOWN"),
        (client_errors.ClusterDownError, "CLUSTERDOWN"),
        (client_errors.TryAgainError, "TRYAGAIN"),
        (client_errors.MovedError, "MOVED"),
        (client_errors.AskError, "ASK"),
        (client_errors.ClusterCrossSlotError, "CROSSSLOT"),
    )
    for kind, code in named:
        if isinstance(error, kind):
            return code
    if str(error).startswith(_NOPERM_IN_SCRIPT):
        return "NOPERM"
    first = str(error).split(" ", 1)[0].rstrip(":")
    for code in _SENTENCES:
        if code in str(error).split():
            return code
    return first if first.isupper() and first.isalpha() else "ERR"


@contextmanager
def translated() -> Iterator[None]:
    """Turn redis-py's exceptions into this module's while the block runs.

    A time-out or a cut counts as ServerAway. Writers that must know whether their command happened
    catch ServerAway and settle the doubt themselves (see `claims`).
    """
    try:
        yield
    except (client_errors.AuthenticationError, client_errors.AuthorizationError) as error:
        code = "WRONGPASS" if "WRONGPASS" in str(error) or "invalid" in str(error) else "NOAUTH"
        raise ServerRefused(code, _SENTENCES[code]) from error
    except client_errors.BusyLoadingError as error:
        raise ServerAway("Redis is loading its data from disk.") from error
    except client_errors.TimeoutError as error:
        raise ServerAway("Redis did not answer in time.") from error
    except client_errors.ConnectionError as error:
        if refusal := refusal_of(error):
            raise ServerRefused("TLS", refusal) from error
        raise ServerAway(_FULL if _IS_FULL in str(error) else _absence(error)) from error
    except client_errors.ResponseError as error:
        code = refusal_code(error)
        if code in AWAY_CODES:
            raise ServerAway(f"Redis cannot answer now ({code}).") from error
        if str(error).startswith(_NOPERM_IN_SCRIPT):
            raise ServerRefused(code, _HALFWAY) from error
        raise ServerRefused(code, _SENTENCES.get(code, f"Redis refused: {error}")) from error


def was_never_sent(error: ServerAway) -> bool:
    """Tell whether the server got no command: no connection came about, or it answered that it cannot now."""
    cause = error.__cause__
    if isinstance(cause, client_errors.ResponseError | client_errors.BusyLoadingError):
        return True
    # redis-py has no classes for these, only sentences: for a connection refused or timed out, for a server
    # without room for another one, and for a pool of ours without.
    return any(words in str(cause) for words in ("connecting to", _IS_FULL, "No connection available"))


def _absence(error: client_errors.ConnectionError) -> str:
    if isinstance(error, Unfound):
        return error.sentence
    return ENDED if was_ended(error) else "Redis cannot be reached."
