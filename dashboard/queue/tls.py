"""What a TLS connection shows and trusts: files of certificates and keys.

Owns: the names of these options in a URL, and trying the files before anything is connected. Refuses: data
in place of files, and to be lenient by default.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUERY = frozenset(
    {
        "ssl_ca_certs",
        "ssl_ca_path",
        "ssl_cert_reqs",
        "ssl_certfile",
        "ssl_check_hostname",
        "ssl_keyfile",
    }
)
"""The options of a URL. They have the names that redis-py's users know."""

STRICTNESS = {"required": True, "optional": True, "none": False}
YES_OR_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Tls:
    """How to speak TLS. Without a file or folder of authorities those of the system are trusted."""

    ca_file: str = ""
    """Certificates of the authorities that may have signed the server's, in one PEM file."""
    ca_folder: str = ""
    certificate_file: str = ""
    """What the client shows; the key may stand in it too."""
    key_file: str = ""
    verifies: bool = True
    """Whether the server's certificate must be a trusted one."""
    checks_host: bool = True
    """Whether it must be made out to the host that was asked."""

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> Tls:
        """Read the options of a URL; raises ValueError with the rest of a sentence."""
        strictness = query.get("ssl_cert_reqs", "required").lower()
        checks = query.get("ssl_check_hostname", "true").lower()
        if strictness not in STRICTNESS:
            raise ValueError("must have required, optional or none as ssl_cert_reqs")
        if checks not in YES_OR_NO:
            raise ValueError("must have true or false as ssl_check_hostname")
        return cls(
            ca_file=query.get("ssl_ca_certs", ""),
            ca_folder=query.get("ssl_ca_path", ""),
            certificate_file=query.get("ssl_certfile", ""),
            key_file=query.get("ssl_keyfile", ""),
            verifies=STRICTNESS[strictness],
            checks_host=YES_OR_NO[checks],
        )

    def or_else(self, ca_file: str, certificate_file: str, key_file: str) -> Tls:
        """Return these files, and the given ones where this names none."""
        shows = self.certificate_file or self.key_file
        return Tls(
            ca_file=self.ca_file or ("" if self.ca_folder else ca_file),
            ca_folder=self.ca_folder,
            certificate_file=self.certificate_file if shows else certificate_file,
            key_file=self.key_file if shows else key_file,
            verifies=self.verifies,
            checks_host=self.checks_host,
        )

    def check(self) -> None:
        """Load every file once, so that a wrong one is no puzzle later; raises ValueError, in sentences."""
        for what, path in (
            ("The file of TLS authorities", self.ca_file),
            ("The folder of TLS authorities", self.ca_folder),
            ("The file of the TLS certificate", self.certificate_file),
            ("The file of the TLS key", self.key_file),
        ):
            if path and not Path(path).exists():
                raise ValueError(f"{what} does not exist: {path}.")
        context = ssl.create_default_context()
        try:
            if self.ca_file or self.ca_folder:
                context.load_verify_locations(self.ca_file or None, self.ca_folder or None)
        except (OSError, ssl.SSLError):
            raise ValueError(
                f"The TLS authorities cannot be read from {self.ca_file or self.ca_folder}: "
                "a PEM file with certificates is needed."
            ) from None
        try:
            if self.certificate_file or self.key_file:
                context.load_cert_chain(self.certificate_file, self.key_file or None, password="")
        except (OSError, ssl.SSLError, ValueError):
            raise ValueError(
                f"The TLS certificate and its key cannot be used: {self.certificate_file or 'none'}, "
                f"{self.key_file or 'key in the same file'}. Both must be PEM and belong to each other, "
                "and the key must have no passphrase."
            ) from None

    def options(self) -> dict[str, Any]:
        """Return the arguments of a redis-py connection."""
        return {
            "ssl_ca_certs": self.ca_file or None,
            "ssl_ca_path": self.ca_folder or None,
            "ssl_certfile": self.certificate_file or None,
            "ssl_keyfile": self.key_file or None,
            "ssl_cert_reqs": "required" if self.verifies else "none",
            "ssl_check_hostname": self.checks_host and self.verifies,
        }


ENDED = (
    "Redis ended the TLS connection without a word. If it goes on like this, it may not trust this client's "
    "certificate."
)
"""For a server that died, and for one whose refusal was overtaken by the end of the connection."""


def was_ended(error: BaseException) -> bool:
    """Tell whether the other side ended the connection without the farewell of TLS."""
    return isinstance(_of_tls(error), ssl.SSLEOFError)


def refusal_of(error: BaseException) -> str:
    """Return a sentence when one side refused the other's TLS, "" for any other trouble."""
    seen = _of_tls(error)
    if isinstance(seen, ssl.SSLCertVerificationError):
        return (
            f"The TLS certificate of Redis is not accepted: {seen.verify_message}. "
            "Name the file of its authority, and the host that it is made out to. No job was touched."
        )
    reason = (seen.reason or "") if isinstance(seen, ssl.SSLError) else ""
    if reason == "WRONG_VERSION_NUMBER":
        return "What answers there does not speak TLS: its URL begins with redis://. No job was touched."
    _, is_alert, alert = reason.partition("ALERT_")
    if is_alert:
        return (
            f"Redis refused this client's TLS ({alert.replace('_', ' ').lower()}): "
            "name a certificate that its authority signed, and the key. No job was touched."
        )
    return ""


def _of_tls(error: BaseException) -> ssl.SSLError | None:
    """Return the error of TLS that an error came from."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ssl.SSLError):
        seen = seen.__cause__ or seen.__context__
    return seen
