"""The counter of a job by hand: what one more attempt, and none at all, make of named jobs."""

import pytest
import redis

from dashboard.queue.job import bump, set_attempts
from tests.lua.test_counter import in_lua

NINES = b"9" * 4300
DEEP = b"[" * 5000 + b"]" * 5000

COUNTED: dict[str, tuple[bytes, bytes, bytes]] = {
    "the usual job": (b'{"id":1,"attempts":0}', b'{"id":1,"attempts":1}', b'{"id":1,"attempts":0}'),
    "a carry": (b'{"id":1,"attempts":9}', b'{"id":1,"attempts":10}', b'{"id":1,"attempts":0}'),
    "white space": (
        b'\n{ "id" : 1 ,\t"attempts" : 19 \r}\n',
        b'\n{ "id" : 1 ,\t"attempts" : 20 \r}\n',
        b'\n{ "id" : 1 ,\t"attempts" : 0 \r}\n',
    ),
    "a byte order mark": (
        b'\xef\xbb\xbf{"attempts":2}',
        b'\xef\xbb\xbf{"attempts":3}',
        b'\xef\xbb\xbf{"attempts":0}',
    ),
    "the counter first": (b'{"attempts":3,"id":1}', b'{"attempts":4,"id":1}', b'{"attempts":0,"id":1}'),
    "a nested one": (
        b'{"attempts":1,"p":{"attempts":9}}',
        b'{"attempts":2,"p":{"attempts":9}}',
        b'{"attempts":0,"p":{"attempts":9}}',
    ),
    "the last of two": (
        b'{"attempts":1,"attempts":5}',
        b'{"attempts":1,"attempts":6}',
        b'{"attempts":1,"attempts":0}',
    ),
    "an escaped one after a plain one": (
        rb'{"attempts":1,"\u0061ttempts":5}',
        rb'{"attempts":1,"\u0061ttempts":6}',
        rb'{"attempts":1,"\u0061ttempts":0}',
    ),
    "every letter escaped": (
        rb'{"\u0061\u0074\u0074\u0065\u006D\u0070\u0074\u0073":7,"z":1}',
        rb'{"\u0061\u0074\u0074\u0065\u006D\u0070\u0074\u0073":8,"z":1}',
        rb'{"\u0061\u0074\u0074\u0065\u006D\u0070\u0074\u0073":0,"z":1}',
    ),
    "a key that only looks escaped": (
        rb'{"attempts":1,"\\u0061ttempts":5}',
        rb'{"attempts":2,"\\u0061ttempts":5}',
        rb'{"attempts":0,"\\u0061ttempts":5}',
    ),
    "a text that looks like the end of a job": (
        rb'{"attempts":1,"s":",\"attempts\":5}"}',
        rb'{"attempts":2,"s":",\"attempts\":5}"}',
        rb'{"attempts":0,"s":",\"attempts\":5}"}',
    ),
    "a key that ends like the counter": (
        rb'{"attempts":1,"x,\"attempts":5}',
        rb'{"attempts":2,"x,\"attempts":5}',
        rb'{"attempts":0,"x,\"attempts":5}',
    ),
    "a negative one": (b'{"attempts":-1}', b'{"attempts":0}', b'{"attempts":0}'),
    "minus nought": (b'{"attempts":-0}', b'{"attempts":1}', b'{"attempts":0}'),
    "a borrow": (b'{"attempts":-1000}', b'{"attempts":-999}', b'{"attempts":0}'),
    "more than a double holds": (
        b'{"attempts":9007199254740993}',
        b'{"attempts":9007199254740994}',
        b'{"attempts":0}',
    ),
    "a long borrow": (
        b'{"attempts":-10000000000000000000}',
        b'{"attempts":-9999999999999999999}',
        b'{"attempts":0}',
    ),
    "a long carry": (
        b'{"attempts":99999999999999999999}',
        b'{"attempts":100000000000000000000}',
        b'{"attempts":0}',
    ),
    "no members": (b"{}", b'{"attempts":1}', b"{}"),
    "no members but white space": (b" { \n} ", b' { \n"attempts":1} ', b" { \n} "),
    "no counter": (b'{"id":1 } ', b'{"id":1 ,"attempts":1} ', b'{"id":1 } '),
    "numbers that cjson would spoil": (
        b'{"id":12345678901234567890,"payload":{"a":[],"f":0.1234567890123456789},"attempts":0}',
        b'{"id":12345678901234567890,"payload":{"a":[],"f":0.1234567890123456789},"attempts":1}',
        b'{"id":12345678901234567890,"payload":{"a":[],"f":0.1234567890123456789},"attempts":0}',
    ),
    "an array too deep for any parser": (
        b'{"attempts":0,"p":' + DEEP + b"}",
        b'{"attempts":1,"p":' + DEEP + b"}",
        b'{"attempts":0,"p":' + DEEP + b"}",
    ),
    "a megabyte of quotes before it": (
        b'{"p":"' + rb"\"" * 500_000 + b'","attempts":41}',
        b'{"p":"' + rb"\"" * 500_000 + b'","attempts":42}',
        b'{"p":"' + rb"\"" * 500_000 + b'","attempts":0}',
    ),
    "a megabyte of braces after it": (
        b'{"attempts":41,"p":"' + b"}{" * 500_000 + b'"}',
        b'{"attempts":42,"p":"' + b"}{" * 500_000 + b'"}',
        b'{"attempts":0,"p":"' + b"}{" * 500_000 + b'"}',
    ),
}

UNREADABLE: dict[str, bytes] = {
    "nothing": b"",
    "white space": b" \n",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "text": b"not json",
    "an array": b"[]",
    "an array that ends like a job": b'[{"attempts":1}',
    "bytes": b"\xff\x00",
    "a removal mark": b"\0watchkeeper:removed",
    "a counter that is text": b'{"attempts":"1"}',
    "a counter that is true": b'{"attempts":true}',
    "a counter that is null": b'{"attempts":null}',
    "a counter that is a float": b'{"attempts":1.0}',
    "a counter with an exponent": b'{"attempts":1e3}',
    "a counter that begins with a nought": b'{"attempts":01}',
    "a counter with a plus": b'{"attempts":+1}',
    "a counter that is nested": b'{"attempts":[1]}',
    "the last of two that is no number": b'{"attempts":1,"attempts":null}',
    "a cut job": b'{"id":1,"attempts":1',
    "a job with text after its end": b'{"attempts":1} {}',
    "a job with a nought after its end": b'{"attempts":1}\0',
    "a comma too many": b'{"attempts":1,}',
    "a comma too few": b'{"id":1 "attempts":1 }',
    "a text without end": rb'{"attempts":1,"s":"\"}',
    "a backslash at the end": b'{"attempts":1,"s":"\\',
    "UTF-16": '{"attempts":1}'.encode("utf-16-le"),
    "vertical tabs, which are no white space": b'{"attempts":\v1}',
}


@pytest.mark.parametrize("name", COUNTED)
def test_one_more_attempt_in(name: str, redis_client: redis.Redis) -> None:
    raw, bumped, renewed = COUNTED[name]
    [(lua_bumped, lua_renewed)] = in_lua(redis_client, [raw])
    python_bumped = bump(raw)
    assert lua_bumped is not None
    assert python_bumped is not None
    assert lua_bumped[0] == python_bumped[0] == bumped
    assert lua_bumped[1] == float(python_bumped[1])
    assert lua_renewed == set_attempts(raw, 0) == renewed


@pytest.mark.parametrize("name", UNREADABLE)
def test_nothing_is_counted_in(name: str, redis_client: redis.Redis) -> None:
    raw = UNREADABLE[name]
    assert in_lua(redis_client, [raw]) == [(None, None)]
    assert bump(raw) is None
    assert set_attempts(raw, 0) is None


def test_a_count_of_4300_nines_is_the_last_that_json_reads(redis_client: redis.Redis) -> None:
    raws = [b'{"attempts":%s}' % digits for digits in (NINES[:-1], NINES, NINES + b"9", b"-" + NINES)]
    answers = in_lua(redis_client, raws)
    assert [lua and lua[0] for lua, _ in answers] == [
        b'{"attempts":1%s}' % (b"0" * 4299),
        None,
        None,
        b'{"attempts":-%s8}' % NINES[:-1],
    ]
    assert [renewed for _, renewed in answers] == [
        b'{"attempts":0}',
        b'{"attempts":0}',
        None,
        b'{"attempts":0}',
    ]
    assert [bumped and bumped[0] for bumped in map(bump, raws)] == [lua and lua[0] for lua, _ in answers]
    assert [set_attempts(raw, 0) for raw in raws] == [renewed for _, renewed in answers]


def test_a_broken_job_that_ends_like_a_whole_one_is_counted_because_nobody_validates(
    redis_client: redis.Redis,
) -> None:
    # Reading all of a job costs more than moving it. Whoever runs it finds out, and sends it to dead.
    raws = [b'{"a":{"attempts":5}', b'{"id":tru,"attempts":5}', b'{]],"attempts":5}']
    expected = [b'{"a":{"attempts":6}', b'{"id":tru,"attempts":6}', b'{]],"attempts":6}']
    assert [lua and lua[0] for lua, _ in in_lua(redis_client, raws)] == expected
    assert [bumped and bumped[0] for bumped in map(bump, raws)] == expected
