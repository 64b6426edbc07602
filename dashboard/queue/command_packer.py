"""Commands as the bytes that the server reads, put together at once.

Owns: that form, on the path of every job: redis-py's own packer took a quarter of a worker's processor time.
Refuses: whatever redis-py's refuses.

Source: the request form of the Redis serialization protocol, an array of bulk strings.
"""

from __future__ import annotations

from redis.exceptions import DataError

Part = bytes | bytearray | memoryview | str | int | float


class CommandPacker:
    """What connections are given as their `command_packer`. Has no state, so that all may share one."""

    def pack(self, *parts: Part) -> list[bytes]:
        """Return the chunks to send for one command; its name may be of several words, as in "CLIENT ID".

        Raises DataError for a part that is neither bytes, text nor a number, UnicodeEncodeError for text that
        is no UTF-8.
        """
        name, *rest = parts
        words = [part if type(part) is bytes else _encoded(part) for part in rest]
        words[:0] = _encoded(name).split()
        return [
            b"".join([b"*%d\r\n" % len(words), *[b"$%d\r\n%b\r\n" % (len(word), word) for word in words]])
        ]


def _encoded(part: Part) -> bytes:
    if isinstance(part, str):
        return part.encode()
    if type(part) is int:
        return b"%d" % part
    if isinstance(part, bytes | bytearray | memoryview):
        return bytes(part)
    if isinstance(part, int | float) and not isinstance(part, bool):
        return repr(part).encode()
    raise DataError(f"A command takes bytes, text and numbers, and no {type(part).__name__}.")
