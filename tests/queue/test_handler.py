"""Loading handlers, running async ones, and what is kept of an exception."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any

import pytest

from dashboard.queue.errors import BadHandler
from dashboard.queue.handler import Runner, describe, load, traceback_of
from dashboard.queue.job import Job, decode

JOB = decode(b'{"id":"1","payload":null,"attempts":0}')
SEEN: list[object] = []


class Methods:
    @staticmethod
    def inner(job: Job) -> None:
        SEEN.append(job.id)


async def later(job: Job) -> None:
    await asyncio.sleep(0)
    SEEN.append((job.id, id(asyncio.get_running_loop())))


def hands_over(job: Job) -> Awaitable[None]:
    """What a plain decorator around an async function does."""
    return later(job)


def only_prepares(job: Job) -> Iterator[None]:
    SEEN.append(job.id)
    yield


async def only_prepares_async(job: Job) -> AsyncIterator[None]:
    SEEN.append(job.id)
    yield


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raise_deep(depth: int) -> None:
    if depth:
        raise_deeper(depth - 1)
    raise ValueError("at the bottom")


def raise_deeper(depth: int) -> None:
    """Its frames keep those of `raise_deep` apart, which a traceback would fold otherwise."""
    raise_deep(depth)


@pytest.fixture(autouse=True)
def empty() -> None:
    SEEN.clear()


def test_a_handler_is_found_by_module_and_function_nested_ones_too() -> None:
    load("tests.queue.test_handler:Methods.inner")(JOB)
    assert SEEN == ["1"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nonsense", "not of the form module:function"),
        (":x", "not of the form module:function"),
        ("os:", "not of the form module:function"),
        ("no.such.module:f", "cannot be loaded: importing no.such.module raised ModuleNotFoundError"),
        ("tests.queue.broken_handler:f", "importing tests.queue.broken_handler raised ZeroDivisionError"),
        ("tests.queue.leaving_handler:f", "importing tests.queue.leaving_handler raised SystemExit: 0"),
        ("os:no_such_thing", "os has no no_such_thing"),
        ("os:sep", "cannot be called: it is a str"),
    ],
)
def test_a_bad_handler_is_refused_in_one_sentence(path: str, says: str) -> None:
    with pytest.raises(BadHandler, match=says) as raised:
        load(path)
    assert "\n" not in str(raised.value)


def test_async_functions_run_to_their_end_in_one_event_loop() -> None:
    runner = Runner(later)
    runner.call(JOB)
    runner.call(JOB)
    runner.close()
    assert SEEN[0] == SEEN[1]
    assert len(SEEN) == 2


def test_what_a_plain_function_leaves_to_be_awaited_is_awaited() -> None:
    runner = Runner(hands_over)
    runner.call(JOB)
    runner.close()
    assert len(SEEN) == 1


@pytest.mark.parametrize("handler", [only_prepares, only_prepares_async])
def test_a_generator_has_run_nothing_and_so_is_a_failure(handler: Any) -> None:
    with pytest.raises(TypeError, match="returned a generator, of which nothing has run"):
        Runner(handler).call(JOB)
    assert SEEN == []


def test_an_error_with_signs_that_are_no_text_can_be_stored() -> None:
    assert describe(ValueError("name \udcff")) == "ValueError: name \\udcff"
    assert len(describe(ValueError("\udcff" * 9999)).encode()) == 500


def test_an_error_is_one_line_of_type_and_message() -> None:
    assert describe(ValueError("two\n lines")) == "ValueError: two lines"
    assert describe(KeyError()) == "KeyError"
    assert len(describe(ValueError("x" * 9999))) == 500
    assert describe(Unspeakable()) == "Unspeakable: (its message could not be read)"


def test_a_traceback_is_its_last_four_kilobytes_from_a_line_on() -> None:
    with pytest.raises(ValueError, match="at the bottom") as raised:
        raise_deep(300)
    trace = traceback_of(raised.value)
    assert len(trace.encode()) <= 4096
    assert trace.endswith("ValueError: at the bottom\n")
    assert trace.startswith("  ")


def test_a_traceback_of_an_error_without_words_is_kept_too() -> None:
    with pytest.raises(Unspeakable) as raised:
        raise Unspeakable
    assert "Unspeakable" in traceback_of(raised.value)
