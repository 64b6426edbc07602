"""An act whose reply is lost: exit code 6, and a sentence that it may have happened and how to look."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dashboard.queue import lua_source
from tests.cli.conftest import Ran, Run
from tests.cli.jobs_in_redis import job
from tests.queue.running import Client
from tests.support.proxy import Fault, Proxy
from tests.support.server import ValkeyServer


def dead(client: Client) -> None:
    client.lpush("mail:dead", job("a"))


def delayed(client: Client) -> None:
    client.zadd("mail:delayed", {job("a"): 1})


def orphaned(client: Client) -> None:
    client.lpush("mail:processing:w1", job("a"))


ACTS: dict[str, tuple[Callable[[Client], None], str, tuple[str, ...], str]] = {
    "retry one": (dead, "revive", ("retry", "mail", "a"), "watchkeeper jobs mail dead"),
    "retry all": (dead, "revive", ("retry", "mail", "--all"), "watchkeeper jobs mail dead"),
    "promote one": (delayed, "promote", ("promote", "mail", "a"), "watchkeeper jobs mail delayed"),
    "promote the due": (delayed, "promote", ("promote", "mail", "--due"), "watchkeeper jobs mail delayed"),
    "reap one": (orphaned, "requeue", ("reap", "mail", "w1"), "watchkeeper workers mail"),
    "reap all": (orphaned, "requeue", ("reap", "--stale"), "watchkeeper workers"),
}


@pytest.fixture
def act(cli: Run, shared_server: ValkeyServer, redis_client: Client) -> Callable[[str, Fault], Ran]:
    """A function that does an act on one job and lets something happen to its request or reply."""

    def do(what: str, fault: Fault) -> Ran:
        furnish, script, words, _ = ACTS[what]
        furnish(redis_client)
        # Known to the server, so that the act is one request.
        redis_client.script_load(lua_source.load(script).text)
        with Proxy(shared_server.port) as proxy:
            proxy.lose_replies(to=lua_source.load(script).sha.encode(), count=1, fault=fault)
            ran = cli("--redis-url", proxy.url, *words)
            assert proxy.lost_count == 1
            assert ran.err.endswith(f" The server is 127.0.0.1:{proxy.port}/0.\n")
        return ran

    return do


@pytest.mark.parametrize("what", ACTS)
def test_an_act_whose_reply_is_lost_is_exit_code_6_and_says_how_to_look(
    act: Callable[[str, Fault], Ran], redis_client: Client, what: str
) -> None:
    ran = act(what, Fault.WHOLE)

    assert (ran.code, ran.out) == (6, ""), ran
    told = ran.err.replace("\r", "\n").splitlines()[-1]
    assert told.startswith("watchkeeper: Redis cannot be reached. It may have happened all the same")
    assert f"Look with `{ACTS[what][3]}` before you try again." in told
    # It has.
    assert redis_client.llen("mail:pending") == 1
    assert not redis_client.exists("mail:dead", "mail:delayed", "mail:processing:w1")


@pytest.mark.parametrize("what", ACTS)
def test_an_act_that_was_cut_before_it_arrived_cannot_be_told_from_one_that_was_not(
    act: Callable[[str, Fault], Ran], redis_client: Client, what: str
) -> None:
    ran = act(what, Fault.BEFORE)

    assert (ran.code, ran.out) == (6, ""), ran
    assert not redis_client.exists("mail:pending")
    assert redis_client.exists("mail:dead", "mail:delayed", "mail:processing:w1") == 1


def test_an_act_that_is_done_again_after_it_happened_says_that_the_job_is_not_there(
    act: Callable[[str, Fault], Ran], cli: Run, redis_client: Client
) -> None:
    act("retry one", Fault.WHOLE)
    again = cli("retry", "mail", "a")

    assert again.code == 3
    assert "a is in pending, not in dead. Nothing was moved." in again.err
    assert redis_client.llen("mail:pending") == 1


def test_a_bulk_act_whose_second_call_finds_no_server_is_exit_code_6_as_well(
    cli: Run, shared_server: ValkeyServer, redis_client: Client
) -> None:
    redis_client.lpush("mail:dead", *(job(f"j{number}") for number in range(500)))
    sha = lua_source.load("revive").sha.encode()
    redis_client.script_load(lua_source.load("revive").text)
    with Proxy(shared_server.port) as proxy:
        assert cli("--redis-url", proxy.url, "retry", "mail", "--all").code == 0
        places = [at for at, words in enumerate(proxy.requests, 1) if sha in words]
        assert len(places) == 2
        redis_client.rename("mail:pending", "mail:dead")
        proxy.reset()
        proxy.fail_reply(places[1], Fault.BEFORE)
        ran = cli("--redis-url", proxy.url, "retry", "mail", "--all")

    assert ran.code == 6, ran
    assert (redis_client.llen("mail:pending"), redis_client.llen("mail:dead")) == (400, 100)
