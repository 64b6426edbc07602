"""The socket between console and demo: three signals, and only for the demo's own processes."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.demo.control import Control, Listed
from dashboard.demo.crew import pid_in
from dashboard.demo.link import Link

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
def path(tmp_path: Path, floor: Floor) -> Iterator[Path]:
    """The socket of a control that is listening."""
    path = tmp_path / "control.sock"
    control = Control(path, floor.listed, floor.send)
    yield path
    control.close()


def said(path: Path, line: bytes) -> dict[str, object]:
    """The answer to one raw line."""
    with socket.socket(socket.AF_UNIX) as talk:
        talk.settimeout(5)
        talk.connect(str(path))
        talk.sendall(line)
        talk.shutdown(socket.SHUT_WR)
        answer: dict[str, object] = json.loads(talk.makefile("rb").readline())
        return answer


def test_the_link_lists_the_demos_workers_whatever_the_bytes_of_their_names(path: Path) -> None:
    assert Link(str(path)).processes() == {BOX}


@pytest.mark.parametrize(
    ("what", "number"),
    [("SIGKILL", signal.SIGKILL), ("freeze", signal.SIGSTOP), ("thaw", signal.SIGCONT)],
)
def test_each_word_becomes_its_signal(path: Path, floor: Floor, what: str, number: signal.Signals) -> None:
    Link(str(path)).signal(BOX, what)  # type: ignore[arg-type]

    assert floor.sent == [number]


def test_a_worker_that_is_not_the_demos_is_a_lookup_error(path: Path, floor: Floor) -> None:
    with pytest.raises(LookupError):
        Link(str(path)).signal(b"somebody:else", "SIGKILL")

    assert floor.sent == []


def test_without_a_demo_there_are_no_processes_and_signals_are_lookup_errors(tmp_path: Path) -> None:
    link = Link(str(tmp_path / "nobody"))

    assert link.processes() == frozenset()
    with pytest.raises(LookupError):
        link.signal(BOX, "freeze")


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b"{}\n",
        b"\xff\xfe\n",
        b'{"ask": "signal", "worker": "zz", "what": "SIGKILL"}\n',
        b'{"ask": "signal", "worker": "' + BOX.hex().encode() + b'", "what": "SIGSEGV"}\n',
        b'{"ask": "signal"}',
        b'{"ask": "everything"}\n',
        b"x" * 5000,
    ],
)
def test_what_makes_no_sense_is_told_so_and_sends_nothing(path: Path, floor: Floor, line: bytes) -> None:
    assert said(path, line) == {"error": "not understood"}
    assert floor.sent == []


def test_the_socket_is_for_its_owner_only(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


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
