"""The proxy of the tests cuts the protocol into frames: its own faults would hide those of the library."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.resp import Frames, is_push, words_of

FRAMES = [
    b"+OK\r\n",
    b"-ERR no\r\n",
    b":12\r\n",
    b"$-1\r\n",
    b"$0\r\n\r\n",
    b"$7\r\na\r\n:1\r\n\r\n",
    b"*0\r\n",
    b"*-1\r\n",
    b"*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
    b"%2\r\n+a\r\n:1\r\n$1\r\nb\r\n~1\r\n#t\r\n",
    b"|1\r\n+key\r\n:1\r\n*1\r\n,0.5\r\n",
    b"_\r\n",
    b"=5\r\ntxt:a\r\n",
    b">2\r\n+invalidate\r\n*1\r\n$1\r\na\r\n",
    b"(123456789012345678901234567890\r\n",
]


@given(st.lists(st.sampled_from(FRAMES), max_size=8), st.data())
def test_frames_come_out_whole_however_the_bytes_arrive(frames: list[bytes], data: st.DataObject) -> None:
    stream, cutter, found = b"".join(frames), Frames(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += cutter.feed(stream[:size])
        stream = stream[size:]
    assert found == frames


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_not_handed_out_before_its_last_byte(frame: bytes) -> None:
    cutter = Frames()
    assert [cutter.feed(frame[place : place + 1]) for place in range(len(frame) - 1)] == [[]] * (
        len(frame) - 1
    )
    assert cutter.feed(frame[-1:]) == [frame]


def test_what_the_server_says_unasked_is_told_from_replies() -> None:
    assert [frame for frame in FRAMES if is_push(frame)] == [b">2\r\n+invalidate\r\n*1\r\n$1\r\na\r\n"]


def test_the_words_of_a_request_are_read() -> None:
    assert words_of(b"*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\na\r\nb\r\n") == [b"SET", b"", b"a\r\nb"]
