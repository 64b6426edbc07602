"""Commands as bytes: the same as redis-py makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis._parsers import Encoder
from redis.connection import PythonRespSerializer
from redis.exceptions import DataError

from dashboard.queue.command_packer import CommandPacker

PARTS = st.one_of(
    st.binary(max_size=50),
    st.text(max_size=50),
    st.integers(),
    st.floats(),
    st.binary(max_size=9).map(bytearray),
    st.binary(max_size=9).map(lambda part: memoryview(part)),
)


def packed(*parts: Any) -> bytes:
    """What ours makes of a command."""
    return b"".join(CommandPacker().pack(*parts))


def as_redis_py(*parts: Any) -> bytes:
    """What redis-py makes of it."""
    encoder: Any = Encoder("utf-8", "strict", False)  # type: ignore[no-untyped-call]
    chunks = PythonRespSerializer(6000, encoder.encode).pack(*parts)  # type: ignore[no-untyped-call]
    return b"".join(map(bytes, chunks))


@given(st.sampled_from(["GET", b"GET", "CLIENT ID", b"CLIENT  KILL"]), st.lists(PARTS, max_size=8))
def test_a_command_is_packed_as_redis_py_packs_it(name: str | bytes, parts: list[Any]) -> None:
    assert packed(name, *parts) == as_redis_py(name, *parts)


def test_a_megabyte_is_packed_whole() -> None:
    raw = b"x" * 1_048_576
    assert packed("LPUSH", b"q", raw) == b"*3\r\n$5\r\nLPUSH\r\n$1\r\nq\r\n$1048576\r\n" + raw + b"\r\n"


@pytest.mark.parametrize("part", [None, True, [], {}, object()])
def test_what_is_neither_bytes_nor_text_nor_a_number_is_refused(part: Any) -> None:
    with pytest.raises(DataError, match="A command takes bytes, text and numbers"):
        packed("SET", "key", part)


def test_text_that_is_no_utf_8_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        packed("SET", "key", "\ud800")
