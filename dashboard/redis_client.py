"""From the settings to the factory that builds every Redis client.

Owns: which settings become what of it, and telling a wrong one as a wrong setting. Refuses: to build a client
itself; the library's factory does.
"""

from __future__ import annotations

from dashboard.queue.errors import BadAddress
from dashboard.queue.factory import ServerFactory
from dashboard.queue.server_address import ServerAddress
from dashboard.settings import Settings, SettingsError

CONNECTIONS_MIN = 16


def factory_of(settings: Settings) -> ServerFactory:
    """Return the factory for the server of the settings; its pools have room for every thread of the web.

    Raises SettingsError for a URL, or files of TLS, that cannot be used.
    """
    try:
        return ServerFactory.from_url(
            settings.redis_url,
            ca_file=settings.redis_ca_file,
            certificate_file=settings.redis_certificate_file,
            key_file=settings.redis_key_file,
            timeout_seconds=settings.redis_timeout_seconds,
            max_connections=max(CONNECTIONS_MIN, settings.web_threads * 2),
        )
    except BadAddress as error:
        raise SettingsError(str(error)) from None


def describe(url: str) -> str:
    """Return where a Redis URL leads, without user and password: "127.0.0.1:6379/0".

    Text that is no such URL gives "an unreadable address".
    """
    try:
        return str(ServerAddress.parse(url))
    except ValueError:
        return "an unreadable address"
