"""The commands over TLS, a socket, with Sentinels and on a cluster: real processes, end to end."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
import redis

from tests.support.cluster import Cluster
from tests.support.processes import PythonProcess, run_python, wait_until
from tests.support.sentinel import SentinelGroup
from tests.support.socket_server import SocketServer
from tests.support.tls import TlsServer

HANDLER = "tests.cli.sample_handlers:note"


@contextmanager
def environment(kind: str) -> Iterator[dict[str, str]]:
    """The settings of a server of one kind, for as long as the block lasts."""
    with ExitStack() as stack:
        if kind == "tls":
            tls = stack.enter_context(TlsServer())
            yield {
                "WATCHKEEPER_REDIS_URL": tls.url,
                "WATCHKEEPER_REDIS_CA_FILE": str(tls.authority.certificate),
                "WATCHKEEPER_REDIS_CERTIFICATE_FILE": str(tls.worker.certificate),
                "WATCHKEEPER_REDIS_KEY_FILE": str(tls.worker.key),
            }
        elif kind == "socket":
            yield {"WATCHKEEPER_REDIS_URL": stack.enter_context(SocketServer()).url}
        elif kind == "sentinel":
            yield {"WATCHKEEPER_REDIS_URL": stack.enter_context(SentinelGroup(sentinel_count=1)).url}
        else:
            yield {"WATCHKEEPER_REDIS_URL": stack.enter_context(Cluster(replicas_each=0)).url}


@pytest.mark.parametrize("kind", ["tls", "socket", "sentinel", "cluster"])
def test_the_commands_serve_a_queue_on(kind: str, redis_url: str, redis_client: redis.Redis) -> None:
    with environment(kind) as settings:
        # Handlers note what they did on the tests' own server.
        env = settings | {"REDIS_URL": redis_url}

        def command(*arguments: str) -> str:
            ran = run_python("-m", "dashboard.cli", *arguments, env=env)
            assert ran.returncode == 0, f"{arguments}: {ran.stderr}"
            return ran.stdout

        def started(*arguments: str) -> PythonProcess:
            return PythonProcess("-m", "dashboard.cli", *arguments, env=env)

        now = command("enqueue", "{mail}", "1").strip()
        later = command("enqueue", "{mail}", "1", "--in", "0.5").strip()
        assert json.loads(command("queues", "--json"))["queues"][0]["queue"] == "{mail}"
        with (
            started("worker", "{mail}", HANDLER) as worker,
            started("janitor", "--queue", "{mail}") as janitor,
        ):
            wait_until(
                lambda: redis_client.smembers("done") == {now.encode(), later.encode()}, 40, "both jobs ran"
            )
            assert "alive" in command("workers")
            for process in (worker, janitor):
                process.signal(signal.SIGTERM)
                assert process.wait(20) == 0, process.output()
        assert json.loads(command("jobs", "{mail}", "--json"))["jobs"] == []


def test_a_queue_without_a_hash_tag_is_a_wrong_argument_on_a_cluster() -> None:
    with environment("cluster") as env:
        for arguments in (
            ("enqueue", "mail", "1"),
            ("worker", "mail", HANDLER),
            ("janitor", "--queue", "mail"),
        ):
            ran = run_python("-m", "dashboard.cli", *arguments, env=env)
            assert ran.returncode == 2, ran.stderr
            assert ran.stderr.strip().splitlines()[-1] == (
                "watchkeeper: This Redis is a cluster, where a queue's name needs a hash tag, "
                "for example {mail} in place of mail. No job was touched."
            )


def test_a_worker_whose_certificate_is_refused_ends_with_a_sentence() -> None:
    with TlsServer() as server:
        env = {
            "WATCHKEEPER_REDIS_URL": server.url,
            "WATCHKEEPER_REDIS_CA_FILE": str(server.authority.certificate),
            "WATCHKEEPER_REDIS_CERTIFICATE_FILE": str(server.stranger.certificate),
            "WATCHKEEPER_REDIS_KEY_FILE": str(server.stranger.key),
        }
        ran = run_python("-m", "dashboard.cli", "worker", "mail", HANDLER, env=env)
        assert ran.returncode == 4
        assert (
            ran.stderr.strip()
            .splitlines()[-1]
            .startswith("watchkeeper: Redis refused this client's TLS (unknown ca): name a certificate")
        )
