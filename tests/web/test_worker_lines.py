"""What a worker's line says of its end."""

import json

import pytest
import redis

from tests.support.pages import Browser


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("stopped", "stopped cleanly at "),
        ("exit code 0", "stopped cleanly at "),
        ("SIGKILL", ", holding nothing: SIGKILL"),
        ("exit code 78", ", holding nothing: exit code 78"),
        ("<b>", ", holding nothing: &lt;b&gt;"),
    ],
)
def test_an_end_is_called_clean_only_where_it_was(
    browser: Browser, redis_client: redis.Redis, why: str, says: str
) -> None:
    now = redis_client.time()[0]
    redis_client.lpush("mail:pending", b'{"id": 1}')
    tombstone = json.dumps({"state": "stopped", "at": str(now - 5), "held": 0, "why": why})
    redis_client.hset("mail:workers", "t:w1", tombstone)
    assert says in browser.open("/redis/q/mail/workers").html
