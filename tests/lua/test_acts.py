"""One-time ids of acts: the first answer holds for a day, and no stored bytes stop an operator."""

from typing import Any

import pytest
import redis

from dashboard.queue.answers import Code, Repeat
from dashboard.queue.scripts import Scripts
from tests.support.keyspace import snapshot
from tests.support.script_cases import ACT, CASES, Q
from tests.support.standing_queue import NOW, answer_of_act, furnish, text_of

ACTS = [case for case in CASES if case.acts]
NAMES = [case.name for case in ACTS]
TAMPERED = [
    *("", "x", "null", "1", '"x"', "[]", "{}", '{"at":1,"by":"x","code":"gone","count":"1"}', "[" * 2000),
    *('{"at":"1","by":"x","code":"gone"}', '{"at":"1","by":["x"],"code":"gone","count":"1"}'),
    *('{"at":"1","by":"x","code":"gone","count":null}', "\xff\x00"),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_first_answer_is_kept_for_a_day(client: redis.Redis, name: str) -> None:
    case = ACTS[NAMES.index(name)]
    furnish(client)
    case.call(Scripts(client, now=NOW))
    assert 86_000 < int(client.ttl(Q.act(ACT.id))) <= 86_400


@pytest.mark.parametrize("name", NAMES)
def test_an_id_that_another_act_has_used_answers_for_that_one(client: redis.Redis, name: str) -> None:
    case = ACTS[NAMES.index(name)]
    furnish(client)
    client.set(Q.act(ACT.id), text_of(answer_of_act("buried", "bob", 5.5, 3)))
    before = snapshot(client, Q)
    answer: Any = case.call(Scripts(client, now=NOW))
    assert (answer.code, answer.repeat) == (Code.REPEATED, Repeat(5.5, "bob", Code.BURIED, 3))
    assert snapshot(client, Q) == before


@pytest.mark.parametrize("name", NAMES)
def test_stored_bytes_that_are_no_answer_are_replaced_by_one(client: redis.Redis, name: str) -> None:
    case = ACTS[NAMES.index(name)]
    for stored in TAMPERED:
        client.flushdb()
        furnish(client)
        client.set(Q.act(ACT.id), stored.encode("latin-1"))
        answer: Any = case.call(Scripts(client, now=NOW))
        assert answer.code is case.code, stored
        assert snapshot(client, Q)["acts:act-1"]["code"] == str(case.code), stored


@pytest.mark.parametrize(
    "changes",
    [{"code": "newer-than-this"}, {"at": "soon"}, {"count": "many"}, {"at": "nan"}, {"count": ""}],
    ids=str,
)
def test_an_answer_that_this_version_cannot_read_still_tells_that_it_happened(
    client: redis.Redis, changes: dict[str, str]
) -> None:
    case = ACTS[NAMES.index("bury")]
    furnish(client)
    client.set(Q.act(ACT.id), text_of(answer_of_act("buried") | changes))
    answer: Any = case.call(Scripts(client, now=NOW))
    assert answer.code is Code.REPEATED


@pytest.mark.parametrize("actor", ["", "ann", 'a "quoted" \\ name', "line\nline", "日本", "\x00\x1f"])
def test_any_actor_is_told_of(client: redis.Redis, actor: str) -> None:
    furnish(client)
    act = type(ACT)(actor, "act-9")
    scripts = Scripts(client, now=NOW)
    scripts.pause(Q, act)
    answer = scripts.pause(Q, act)
    assert answer.repeat == Repeat(NOW, actor, Code.PAUSED, 1)
