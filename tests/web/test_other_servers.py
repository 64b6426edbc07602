"""The console on a replica, with Sentinels and on a cluster: it reads, and acts where an act is possible."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from dashboard.settings import Settings
from dashboard.web import create_app
from tests.support.cluster import Cluster
from tests.support.pages import Browser, Page
from tests.support.processes import wait_until
from tests.support.replicas import ReplicaPair
from tests.support.sentinel import SentinelGroup
from tests.support.server import Kind
from tests.web.conftest import job

PLACES = ("pending", "processing", "delayed", "dead", "workers", "trash")
PAGES = ("", "workers", "q/{q}", *(f"q/{{q}}/{place}" for place in PLACES))


def at(page: str, queue: str = "~7Bmail~7D") -> str:
    return f"/redis/{page}".replace("{q}", queue)


def browser_of(url: str) -> Browser:
    return Browser(create_app(Settings(redis_url=url, redis_timeout_seconds=1.0)).test_client())


def furnish(client: redis.Redis | redis.RedisCluster) -> None:
    client.rpush("{mail}:pending", job("waits", None, 0))
    client.rpush("{mail}:dead", job("failed", None, 4), job("failed too", None, 4))
    client.zadd("{mail}:delayed", {job("due", None, 1): 1.0})
    client.rpush("{mail}:processing:w", job("held", None, 0))
    client.hset("{mail}:heartbeats", "w", "1")


def read_all(browser: Browser) -> None:
    for page in PAGES:
        shown = browser.open(at(page))
        assert shown.status == 200, f"{page}: {shown.text[:300]}"


@pytest.mark.parametrize("kind", ["valkey", "redis"])
def test_S60_on_a_replica_every_page_is_read_and_every_act_refused(kind: Kind) -> None:
    with ReplicaPair(kind) as pair:
        furnish(pair.client())
        pair.wait_in_step()
        browser = browser_of(pair.replicas[0].url)
        read_all(browser)
        dead = browser.open(at("q/{q}/dead"))
        assert len(dead.rows) == 2
        assert dead.row("failed too")
        assert "replica" in browser.open(at("")).text
        refused = browser.press(dead, "Retry 2 dead jobs")
        assert refused.status == 503
        assert "This Redis is a read-only replica (READONLY). Nothing was changed." in refused.text
        with pair.client() as client:
            assert client.llen("{mail}:dead") == 2
            assert client.lrange("{mail}:pending", 0, -1) == [job("waits", None, 0)]


def test_with_sentinels_the_console_finds_the_new_primary() -> None:
    with SentinelGroup(sentinel_count=1) as group:
        furnish(group.client())
        assert group.client().wait(1, 5000) == 1
        browser = browser_of(group.url)
        read_all(browser)
        before = group.kill()
        assert browser.open(at("q/{q}")).status == 503
        group.wait_for_switch(before)

        def retried() -> Page | None:
            page = browser.open(at("q/{q}/dead"))
            return browser.press(page, "Retry 2 dead jobs") if page.status == 200 else None

        said = wait_until(retried, 20, "the console acts again", every_seconds=0.2)
        assert said is not None
        assert "Retried 2 jobs" in said.said
        assert group.client().llen("{mail}:dead") == 0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three nodes without replicas."""
    with Cluster(replicas_each=0) as one:
        with one.client() as client:
            furnish(client)
            client.rpush("untagged:pending", job("elsewhere", None, 0))
            client.rpush("{b}:pending", job("on another node", None, 0))
        yield one


def test_on_a_cluster_every_page_of_a_tagged_queue_is_read(cluster: Cluster) -> None:
    browser = browser_of(cluster.url)
    read_all(browser)
    overview = browser.open(at(""))
    assert {"{mail}", "{b}", "untagged"} <= {word for row in overview.rows for word in row.text.split()}


def test_on_a_cluster_jobs_of_a_tagged_queue_are_retried_discarded_restored_promoted_and_reaped(
    cluster: Cluster,
) -> None:
    browser = browser_of(cluster.url)
    page = browser.open(at("q/{q}/dead"))
    after = browser.press(page, "Discard", page.row("failed too"))
    assert "Discarded 1 job" in after.said
    assert "Restored" in browser.press(after, "Undo").said
    assert "Retried 2 jobs" in browser.press(browser.open(at("q/{q}/dead")), "Retry 2 dead jobs").said
    assert "Promoted 1 job" in browser.press(browser.open(at("q/{q}/delayed")), "Promote 1 due job").said
    assert "Paused" in browser.press(browser.open(at("q/{q}")), "Pause").said
    assert "Resumed" in browser.press(browser.open(at("q/{q}")), "Resume").said
    preview = browser.follow(browser.open(at("q/{q}/workers")), "Reap")
    assert "Reaped" in browser.press(preview, "Reap").said
    with cluster.client() as client:
        assert client.llen("{mail}:pending") == 5
        assert client.exists("{mail}:dead", "{mail}:delayed", "{mail}:processing:w") == 0


def test_on_a_cluster_a_queue_without_a_tag_is_read_and_an_act_on_it_refused(cluster: Cluster) -> None:
    browser = browser_of(cluster.url)
    page = browser.open(at("q/{q}", "untagged"))
    assert "elsewhere" in page.text
    refused = browser.press(page, "Pause")
    assert refused.status == 503
    assert "In a cluster a queue's name needs a hash tag" in refused.text
    with cluster.client() as client:
        assert client.lrange("untagged:pending", 0, -1) == [job("elsewhere", None, 0)]


def test_a_cluster_that_is_away_is_a_503_and_is_found_when_it_comes() -> None:
    with Cluster(primary_count=1, replicas_each=0) as cluster:
        node = cluster.nodes[0]
        node.kill()
        browser = browser_of(cluster.url)
        assert browser.open(at("")).status == 503
        node.start()
        wait_until(lambda: node.cluster_facts().get("cluster_state") == "ok", 20, "the node serves again")
        wait_until(lambda: browser.open(at("")).status == 200, 20, "the console is back", every_seconds=0.2)
