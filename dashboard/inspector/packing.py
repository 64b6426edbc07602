"""Hashes that a script packed into two texts: lengths, and all bytes in a row.

Redis' own reply costs the reader about two microseconds a field; this form a tenth of that, which is what
makes a survey of ten thousand workers every two seconds cheap.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any


def unpacked(lengths: bytes, joined: bytes) -> list[bytes]:
    """Return the texts of a packed list."""
    if not lengths:
        return []
    ends = list(accumulate(map(int, lengths.split(b","))))
    return [joined[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def unpacked_hash(packed: Any) -> dict[bytes, bytes] | None:
    """Return the fields of a packed hash; None where the script answered a number instead."""
    if isinstance(packed, int):
        return None
    texts = unpacked(packed[0], packed[1])
    return dict(zip(texts[::2], texts[1::2], strict=True))
