"""Sentinels and a cluster over TLS: whoever is asked and whoever is found speak it alike."""

from __future__ import annotations

import json
from typing import Any

import redis

from dashboard.queue.connections import Connections
from dashboard.queue.keys import QueueKeys
from dashboard.queue.producer import Producer
from tests.support.processes import wait_until
from tests.support.sentinel import SERVICE, Sentinel
from tests.support.server import free_port
from tests.support.tls import TlsServer

Q = QueueKeys("{q}")


class TlsSentinel(Sentinel):
    """A Sentinel with TLS on its only port, and towards the server that it watches."""

    def __init__(self, watched: TlsServer) -> None:
        self._tls = watched
        super().__init__(watched, quorum=1, down_after_ms=2500, kind="redis")

    def _configuration(self) -> str:
        plain = super()._configuration().replace(f"port {self.port}\n", f"port 0\ntls-port {self.port}\n", 1)
        files = {
            "tls-cert-file": self._tls.own.certificate,
            "tls-key-file": self._tls.own.key,
            "tls-ca-cert-file": self._tls.authority.certificate,
            "tls-replication": "yes",
        }
        return plain + "".join(f"{name} {value}\n" for name, value in files.items())

    def _answers(self) -> bool:
        files = {
            "ssl": True,
            "ssl_ca_certs": str(self._tls.authority.certificate),
            "ssl_certfile": str(self._tls.worker.certificate),
            "ssl_keyfile": str(self._tls.worker.key),
        }
        try:
            with self.client(socket_timeout=1.0, **files) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def work_on(url: str, server: TlsServer) -> None:
    """Enqueue, claim and look, each with the client of its role."""
    connections = Connections.from_url(url)
    Producer(connections, Q.queue).enqueue({}, id="a")
    mine = connections.of(Q)
    claim: Any = mine.claim(1)
    held = claim.execute_command("BLMOVE", Q.pending, Q.processing(b"w"), "RIGHT", "LEFT", 1)
    assert json.loads(held)["id"] == "a"
    assert mine.beat().exists(Q.processing(b"w"))
    assert connections.command().exists(Q.processing(b"w"))
    with server.client() as client:
        assert client.lrange(Q.processing(b"w"), 0, -1) == [held]


def test_sentinels_are_asked_over_tls_and_lead_to_a_primary_with_tls() -> None:
    with TlsServer() as server, TlsSentinel(server) as sentinel:
        query = server.query(server.worker)
        work_on(f"rediss+sentinel://127.0.0.1:{sentinel.port}/{SERVICE}?{query}", server)


def test_a_cluster_is_asked_and_worked_with_over_tls() -> None:
    with TlsServer(cluster_enabled="yes", cluster_port=free_port(), tls_cluster="yes") as server:
        with server.client() as node:
            node.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            wait_until(
                lambda: b"cluster_state:ok" in node.execute_command("CLUSTER", "INFO", NEVER_DECODE=True),
                20,
                "all slots are served",
            )
        work_on(f"rediss+cluster://127.0.0.1:{server.port}?{server.query(server.worker)}", server)
