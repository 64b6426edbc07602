"""Where one request or reply of the Redis protocol ends, versions 2 and 3.

Owns: cutting a stream of bytes into whole frames. Refuses: to know what a frame means.
"""

from __future__ import annotations

LINE_END = b"\r\n"
BLOBS = b"$!="
AGGREGATES = {ord("*"): 1, ord("~"): 1, ord(">"): 1, ord("%"): 2, ord("|"): 2}
ATTRIBUTE, PUSH = ord("|"), ord(">")


class Frames:
    """Cuts what arrives in pieces; a frame is handed out when its last byte is there."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._position = 0
        self._missing = 1
        """Values that still belong to the frame."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the frames that `chunk` completes, in order. Raises ValueError for what is no protocol."""
        self._bytes += chunk
        found = []
        while self._advance():
            found.append(bytes(self._bytes[: self._position]))
            del self._bytes[: self._position]
            self._position, self._missing = 0, 1
        return found

    def _advance(self) -> bool:
        """Walk over whole values; True at the end of a frame."""
        while self._missing:
            line_end = self._bytes.find(LINE_END, self._position)
            if line_end < 0:
                return False
            kind, after = self._bytes[self._position], line_end + len(LINE_END)
            missing = self._missing - 1
            if kind in AGGREGATES:
                count = int(self._bytes[self._position + 1 : line_end])
                missing += max(0, count) * AGGREGATES[kind] + (kind == ATTRIBUTE)
            elif kind in BLOBS:
                length = int(self._bytes[self._position + 1 : line_end])
                after += length + len(LINE_END) if length >= 0 else 0
                if after > len(self._bytes):
                    return False
            self._position, self._missing = after, missing
        return True


def is_push(frame: bytes) -> bool:
    """Whether a frame of the server's answers no request."""
    return frame[0] == PUSH


def words_of(request: bytes) -> list[bytes]:
    """The words of a request, which is an array of blobs."""
    words, position = [], request.index(LINE_END) + 2
    while position < len(request):
        line_end = request.index(LINE_END, position)
        length, start = int(request[position + 1 : line_end]), line_end + 2
        words.append(request[start : start + length])
        position = start + length + 2
    return words
