"""Between console and demo: a word, three signals, and only for the demo's own processes."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator

import pytest

from dashboard.demo.control import Control, Listed
from dashboard.demo.crew import pid_in
from dashboard.demo.link import Link
from tests.support.server import free_port

BOX = b"box-1\xff:\n"


class Floor:
    """Stands for the crew: one worker, and what was sent to it."""

    def __init__(self) -> None:
        self.sent: list[signal.Signals] = []

    def listed(self) -> list[Listed]:
        """The one worker."""
        return [Listed(queue=b"reports".hex(), worker=BOX.hex(), pid=4242, frozen=False)]

    def send(self, worker: bytes, number: signal.Signals) -> bool:
        """Note the signal, when it is for the one worker."""
        if worker == BOX:
            self.sent.append(number)
        return worker == BOX


@pytest.fixture
def floor() -> Floor:
    """The crew's stand-in."""
    return Floor()


@pytest.fixture
def address(floor: Floor) -> Iterator[str]:
    """The address of a control that is listening."""
    control = Control(floor.listed, floor.send)
    yield control.address
    control.close()


def said(address: str, line: bytes) -> dict[str, object]:
    """The answer to one raw line."""
    with socket.create_connection(("127.0.0.1", int(address.partition(":")[0])), 5) as talk:
        talk.sendall(line)
        talk.shutdown(socket.SHUT_WR)
        answer: dict[str, object] = json.loads(talk.makefile("rb").readline())
        return answer


def test_the_link_lists_the_demos_workers_whatever_the_bytes_of_their_names(address: str) -> None:
    assert Link(address).processes() == {BOX}


@pytest.mark.parametrize(
    ("what", "number"),
    [("SIGKILL", signal.SIGKILL), ("freeze", signal.SIGSTOP), ("thaw", signal.SIGCONT)],
)
def test_each_word_becomes_its_signal(address: str, floor: Floor, what: str, number: signal.Signals) -> None:
    Link(address).signal(BOX, what)  # type: ignore[arg-type]

    assert floor.sent == [number]


def test_a_worker_that_is_not_the_demos_is_a_lookup_error(address: str, floor: Floor) -> None:
    with pytest.raises(LookupError):
        Link(address).signal(b"somebody:else", "SIGKILL")

    assert floor.sent == []


def test_without_a_demo_there_are_no_processes_and_signals_are_lookup_errors() -> None:
    link = Link(f"{free_port()}:word")

    assert link.processes() == frozenset()
    with pytest.raises(LookupError):
        link.signal(BOX, "freeze")


@pytest.mark.parametrize(
    "question",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"word": "WORD"}',
        b'{"word": "WORD", "ask": "signal", "worker": "zz", "what": "SIGKILL"}',
        b'{"word": "WORD", "ask": "signal", "worker": "BOX", "what": "SIGSEGV"}',
        b'{"word": "WORD", "ask": "signal"}',
        b'{"word": "WORD", "ask": "everything"}',
        b'{"word": "\\ud800", "ask": "processes"}',
        b"x" * 4000,
    ],
)
def test_what_makes_no_sense_is_told_so_and_sends_nothing(
    address: str, floor: Floor, question: bytes
) -> None:
    word = address.partition(":")[2].encode()
    line = question.replace(b"WORD", word).replace(b"BOX", BOX.hex().encode()) + b"\n"

    assert said(address, line) == {"error": "not understood"}
    assert floor.sent == []


@pytest.mark.parametrize("word", ["", "other", "é", 7, None])
def test_who_does_not_know_the_word_gets_nothing(address: str, floor: Floor, word: object) -> None:
    for question in ({"ask": "processes"}, {"ask": "signal", "worker": BOX.hex(), "what": "SIGKILL"}):
        line = json.dumps(question | {"word": word}).encode() + b"\n"
        assert said(address, line) == {"error": "not allowed"}

    assert floor.sent == []


@pytest.mark.parametrize(
    ("record", "pid"),
    [
        (b'{"pid": 77}', 77),
        (b'{"pid": 1}', 0),
        (b'{"pid": -5}', 0),
        (b'{"pid": "77"}', 0),
        (b'{"pid": true}', 0),
        (b"{}", 0),
        (b"[]", 0),
        (b"\xff", 0),
    ],
)
def test_a_process_id_out_of_redis_is_one_that_may_be_a_workers_or_none(record: bytes, pid: int) -> None:
    assert pid_in(record) == pid
