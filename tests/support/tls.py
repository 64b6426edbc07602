"""A server that speaks TLS only, and the private authority that signs for it and for its clients.

Owns: keys and certificates of one test folder, made by the openssl command, and Debian's Redis set up with
them (the wheel's Valkey is built without TLS). Refuses: to trust or be trusted by anything outside of it.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import redis

from tests.support.server import ValkeyServer

DAYS = "2"


@dataclass(frozen=True)
class Certificate:
    """One certificate and its private key, as files."""

    certificate: Path
    key: Path


class Authority:
    """A private certificate authority in a folder; it signs for 127.0.0.1 and for clients."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._name = folder, name
        own = Certificate(folder / f"{name}.pem", folder / f"{name}.key")
        openssl(
            "req", "-x509", *_key_to(own.key), "-out", own.certificate, "-days", DAYS, "-subj", f"/CN={name}",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign",
        )  # fmt: skip
        self._own = own

    @property
    def certificate(self) -> Path:
        """What a peer trusts."""
        return self._own.certificate

    def sign(self, name: str) -> Certificate:
        """A certificate for `name`, valid for 127.0.0.1 and localhost, for servers and clients alike."""
        made = Certificate(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        request, extensions = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        extensions.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n")
        openssl("req", *_key_to(made.key), "-out", request, "-subj", f"/CN={name}")
        openssl(
            "x509", "-req", "-in", request, "-CA", self._own.certificate, "-CAkey", self._own.key,
            "-set_serial", str(abs(hash(name)) + 1), "-days", DAYS, "-extfile", extensions,
            "-out", made.certificate,
        )  # fmt: skip
        return made


class TlsServer(ValkeyServer):
    """Debian's Redis with TLS on its only port; clients must show a certificate of the same authority.

    `certificates="no"` lets clients in without one. `url` carries no file; `full_url` names them all.
    """

    def __init__(self, certificates: str = "yes", **options: str | int) -> None:
        self._certificates_folder = tempfile.TemporaryDirectory(prefix="watchkeeper-tls-")
        folder = Path(self._certificates_folder.name)
        self.authority = Authority(folder)
        self.own = self.authority.sign("server")
        self.worker = self.authority.sign("worker")
        self.stranger = Authority(folder / "elsewhere", "elsewhere").sign("stranger")
        super().__init__(
            "redis",
            tls_cert_file=str(self.own.certificate), tls_key_file=str(self.own.key),
            tls_ca_cert_file=str(self.authority.certificate), tls_auth_clients=certificates,
            **options,
        )  # fmt: skip

    @property
    def url(self) -> str:
        """Its URL without any file."""
        return super().url.replace("redis://", "rediss://")

    @property
    def full_url(self) -> str:
        """Its URL with the authority, and the certificate and key of a client that it lets in."""
        return f"{self.url}?{self.query(self.worker)}"

    def query(self, shown: Certificate | None) -> str:
        """The query of a URL that trusts the authority and shows `shown`."""
        files = {"ssl_ca_certs": self.authority.certificate}
        if shown is not None:
            files |= {"ssl_certfile": shown.certificate, "ssl_keyfile": shown.key}
        return "&".join(f"{name}={quote(str(path))}" for name, path in files.items())

    def client(self, **options: object) -> redis.Redis:
        """A client that it lets in."""
        files: dict[str, object] = {
            "ssl": True,
            "ssl_ca_certs": str(self.authority.certificate),
            "ssl_certfile": str(self.worker.certificate),
            "ssl_keyfile": str(self.worker.key),
        }
        return super().client(**(files | options))

    def close(self) -> None:
        """End it and remove its folders. Safe to call again."""
        super().close()
        self._certificates_folder.cleanup()

    def _command(self) -> list[str]:
        command = super()._command()
        place = command.index("--port")
        return [*command[:place], "--port", "0", "--tls-port", *command[place + 1 :]]


def openssl(*arguments: str | Path) -> None:
    """Run the openssl command; AssertionError with what it wrote when it fails."""
    done = subprocess.run(
        ["openssl", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"openssl {arguments[0]} failed:\n{done.stderr}"


def _key_to(path: Path) -> tuple[str | Path, ...]:
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path)
