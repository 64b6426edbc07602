"""Rows of the overview that are kept between pages say what is true now."""

import redis

from tests.support.pages import Browser
from tests.support.processes import wait_until


def row_of(browser: Browser, name: str) -> str:
    html = browser.open("/redis/").html
    return html[html.index(f'title="{name}"') :].partition("</tr>")[0]


def test_a_row_that_changed_is_drawn_anew_and_the_others_stay_as_they_were(
    browser: Browser, redis_client: redis.Redis
) -> None:
    redis_client.lpush("mail:pending", b'{"id": 1}')
    redis_client.lpush("hooks:dead", b'{"id": 2}')
    wait_until(lambda: "Lately" in browser.open("/redis/").html, 10, "there is a trend")
    before, other = row_of(browser, "mail"), row_of(browser, "hooks")
    assert 'aria-label="1 pending"' in before

    redis_client.lpush("mail:pending", *[b'{"id": 3}'] * 1233)
    after = row_of(browser, "mail")
    assert 'aria-label="1,234 pending"' in after
    assert 'aria-label="1 dead"' in other
    assert 'aria-label="1 dead"' in row_of(browser, "hooks")


def test_two_queues_that_differ_in_name_only_have_rows_of_their_own(
    browser: Browser, redis_client: redis.Redis
) -> None:
    for name in ("a<b", "a&lt;b"):
        redis_client.lpush(f"{name}:pending", b'{"id": 1}')
    html = browser.open("/redis/").html
    assert html.count('title="a&lt;b"') == 1
    assert html.count('title="a&amp;lt;b"') == 1
