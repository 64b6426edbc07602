"""TLS with certificates on both sides: every role connects, and whoever is refused is told why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dashboard.queue.connections import Connections
from dashboard.queue.errors import BadAddress, ServerAway, ServerRefused, translated
from dashboard.queue.factory import ServerFactory
from dashboard.queue.producer import Producer
from tests.queue.running import Q, janitor, push, ran, supervisor, worker
from tests.support.processes import wait_until
from tests.support.server import ValkeyServer
from tests.support.tls import Certificate, TlsServer


@pytest.fixture(scope="module")
def server() -> Iterator[TlsServer]:
    """A server that wants a certificate of its clients."""
    with TlsServer() as one:
        yield one


def refusal(url: str, **files: str) -> str:
    """What a client is told. The end of the connection may overtake a refusal, so it is asked again."""

    def asked() -> ServerRefused | None:
        try:
            with translated():
                ServerFactory.from_url(url, **files)("command").ping()
        except ServerRefused as error:
            return error
        except ServerAway:
            return None
        raise AssertionError("the client was let in")

    refused = wait_until(asked, 20, "the client is refused")
    return f"{refused.code}: {refused}" if refused else ""


def test_every_role_connects_with_a_certificate(server: TlsServer) -> None:
    connections = Connections.from_url(server.full_url)
    connections.command().set("here", 1)
    assert connections.beat().get("here") == b"1"
    assert connections.claim(1).blmove("empty", "mine", 1, "RIGHT", "LEFT") is None
    connections.close()


def test_a_client_of_another_authority_is_told_that_the_server_refused_it(server: TlsServer) -> None:
    said = refusal(f"{server.url}?{server.query(server.stranger)}")
    assert said.startswith("TLS: Redis refused this client's TLS (unknown ca): name a certificate")
    assert said.endswith("No job was touched.")


def test_a_client_without_a_certificate_is_told_that_one_is_needed(server: TlsServer) -> None:
    said = refusal(server.url, ca_file=str(server.authority.certificate))
    assert said.startswith("TLS: Redis refused this client's TLS (certificate required): name a certificate")


def test_a_server_of_an_authority_that_is_not_trusted_is_refused(server: TlsServer) -> None:
    assert refusal(server.url).startswith("TLS: The TLS certificate of Redis is not accepted: self-signed")


def test_a_server_under_another_name_is_refused_unless_names_are_not_checked() -> None:
    with TlsServer(bind="127.0.0.1 127.0.0.2") as server:
        url = server.full_url.replace("127.0.0.1", "127.0.0.2", 1)
        assert "IP address mismatch" in refusal(url)
        assert ServerFactory.from_url(f"{url}&ssl_check_hostname=no")("command").ping()


def test_files_that_do_not_belong_to_each_other_are_refused_before_anything_is_connected(
    server: TlsServer,
) -> None:
    mixed = Certificate(server.worker.certificate, server.stranger.key)
    with pytest.raises(BadAddress, match=r"cannot be used: .*worker\.pem, .*stranger\.key"):
        ServerFactory.from_url(f"{server.url}?{server.query(mixed)}")
    with pytest.raises(BadAddress, match="authorities cannot be read"):
        ServerFactory.from_url(server.url, ca_file=str(server.worker.key))


@pytest.mark.parametrize("kind", ["supervisor", "worker"])
def test_a_worker_process_runs_jobs_over_tls(server: TlsServer, redis_url: str, kind: str) -> None:
    with server.client() as client, ValkeyServer() as notes:
        client.flushall()
        start = {"supervisor": supervisor, "worker": worker}[kind]
        with start(server.full_url, runs_url=notes.url) as process, janitor(server.full_url, "q") as keeper:
            push(client, "a")
            Producer(Connections.from_url(server.full_url), "q").enqueue({}, id="b")
            Producer(Connections.from_url(server.full_url), "q").enqueue_in({}, 0.1, id="c")
            wait_until(lambda: sorted(ran(notes.client())) == ["a", "b", "c"], 30, "all jobs ran")
            process.signal(15)
            assert process.wait(20) == 0
            assert keeper.is_running()
        assert not client.exists(Q.pending, Q.delayed, Q.dead, Q.heartbeats)


@pytest.mark.parametrize("kind", ["supervisor", "worker"])
def test_a_worker_process_that_the_server_refuses_ends_with_a_clear_error_and_no_job_touched(
    server: TlsServer, kind: str
) -> None:
    with server.client() as client:
        client.flushall()
        push(client, "a")
        before = client.dump(Q.pending)
        start = {"supervisor": supervisor, "worker": worker}[kind]
        with start(f"{server.url}?{server.query(server.stranger)}") as process:
            assert process.wait(30) == 1
            assert "ServerRefused: Redis refused this client's TLS (unknown ca)" in process.output()
        assert client.dump(Q.pending) == before
        assert client.keys() == [Q.pending]
