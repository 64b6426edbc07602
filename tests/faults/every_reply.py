"""One history of a client, again and again, each time with another reply lost.

Owns: counting the replies of a history without faults, and the order of the runs. Refuses: to know what
the client does; the history itself checks what must be true at its end, fault or no fault.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.queue.running import Client
from tests.support.proxy import Fault, Proxy

NEVER_SECONDS = 1000
"""A pause that no test outlasts: the console makes its passes within a page then, not in a thread."""

FAULTS = [Fault.WHOLE, Fault.HALF, Fault.BEFORE]


def for_every_reply(
    proxy: Proxy,
    client: Client,
    fault: Fault,
    history: Callable[[], None],
    *,
    at_least: int,
    may_miss: int = 0,
    after: bytes = b"",
    until: bytes = b"",
) -> None:
    """Run `history` once without a fault, then once for each of its replies, always from an empty server.

    The server forgets its scripts too, so that the replies to both ways of calling one are lost in turn.
    `at_least` replies must be among them: fewer mean that the history does not go through the proxy.
    A history of several threads may be some replies shorter the next time: `may_miss` runs may meet no fault.
    `after` and `until` name a command of the history: only what follows it is lost, or what leads to it.
    """
    begin(proxy, client)
    history()
    count = len(proxy.requests)
    assert count >= at_least, transcript(proxy)
    missed = 0
    first = place_of(after, proxy) + 1 if after else 1
    last = place_of(until, proxy) if until else count
    for number in range(first, last + 1):
        begin(proxy, client)
        proxy.fail_reply(number, fault)
        try:
            history()
            missed += not proxy.lost_count
            assert missed <= may_miss, "the history took another way this time"
        except BaseException as error:
            error.add_note(f"{fault.value}, {number} of {count}; asked was\n{transcript(proxy)}")
            raise


def place_of(command: bytes, proxy: Proxy) -> int:
    """The number of the first request that was this command."""
    return next(number for number, words in enumerate(proxy.requests, 1) if words[0] == command)


def begin(proxy: Proxy, client: Client) -> None:
    """Empty the server, scripts included, and count from one."""
    client.flushall()
    client.script_flush()
    proxy.reset()


def transcript(proxy: Proxy) -> str:
    """What was asked through the proxy, numbered, the beginning of each."""
    lines = []
    for number, words in enumerate(proxy.requests, 1):
        shown = b" ".join(word[:40] for word in words[:8])
        lines.append(f"{number:>4} {shown.decode('utf-8', 'backslashreplace')}")
    return "\n".join(lines)
