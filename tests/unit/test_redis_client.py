"""The settings become the factory of clients: with its time-outs, room for threads and files of TLS."""

import pytest

from dashboard.redis_client import describe, factory_of
from dashboard.settings import Settings, SettingsError
from tests.support.tls import TlsServer

SECRET = "hunter2"


def settings(**environ: str) -> Settings:
    return Settings.from_environ({f"WATCHKEEPER_{name}": value for name, value in environ.items()})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"redis://user:{SECRET}@db.example:6380/3", "db.example:6380/3"),
        ("redis://db.example", "db.example:6379/0"),
        (f"rediss://:{SECRET}@[::1]/2", "[::1]:6379/2"),
        ("redis://h/0?db=7", "h:6379/7"),
        (f"unix://:{SECRET}@/run/redis.sock?db=4", "unix:/run/redis.sock/4"),
        (f"redis+sentinel://u:{SECRET}@a,b:7/shop", "shop by a:26379,b:7/0"),
        (f"redis+cluster://u:{SECRET}@a,b:7", "cluster a:6379,b:7"),
        (f"mysql://:{SECRET}@h", "an unreadable address"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert describe(url) == shown


def test_the_settings_decide_the_time_out_and_room_for_every_thread() -> None:
    factory = factory_of(settings(REDIS_TIMEOUT_SECONDS="0.7", WEB_THREADS="40"))
    assert factory.timeout_seconds == 0.7
    assert factory.max_connections >= 40
    assert factory.address == "127.0.0.1:6379/0"


def test_the_files_of_tls_can_be_settings() -> None:
    with TlsServer() as server:
        factory = factory_of(
            settings(
                REDIS_URL=server.url,
                REDIS_CA_FILE=str(server.authority.certificate),
                REDIS_CERTIFICATE_FILE=str(server.worker.certificate),
                REDIS_KEY_FILE=str(server.worker.key),
            )
        )
        with factory("command") as client:
            assert client.ping()


def test_files_of_tls_without_tls_are_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match="must begin with rediss://"):
        factory_of(settings(REDIS_URL=f"redis://:{SECRET}@h", REDIS_CA_FILE="/etc/hostname"))


def test_a_file_of_tls_that_is_not_there_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError) as caught:
        factory_of(settings(REDIS_URL=f"rediss://:{SECRET}@h", REDIS_CA_FILE="/nowhere/ca.pem"))
    assert str(caught.value) == "The file of TLS authorities does not exist: /nowhere/ca.pem."
