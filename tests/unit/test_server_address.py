"""One grammar of URLs: what each form means, and what is refused without repeating it."""

import re

import pytest

from dashboard.queue.server_address import ServerAddress
from dashboard.queue.tls import Tls

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("redis://h", ServerAddress(hosts=(("h", 6379),))),
        ("redis://h:7/3", ServerAddress(hosts=(("h", 7),), database=3)),
        (
            "redis://u:p%40s@h/0?db=2",
            ServerAddress(hosts=(("h", 6379),), database=2, username="u", password="p@s"),
        ),
        ("redis://[::1]:7", ServerAddress(hosts=(("::1", 7),))),
        ("rediss://h", ServerAddress(hosts=(("h", 6379),), tls=Tls())),
        (
            "rediss://h?ssl_ca_certs=/a&ssl_certfile=/c&ssl_keyfile=/k&ssl_check_hostname=no",
            ServerAddress(hosts=(("h", 6379),), tls=Tls("/a", "", "/c", "/k", True, False)),
        ),
        ("rediss://h?ssl_cert_reqs=none", ServerAddress(hosts=(("h", 6379),), tls=Tls(verifies=False))),
        ("unix:///run/a%20b.sock", ServerAddress("socket", path="/run/a b.sock")),
        ("unix://:p@/run/r.sock?db=4", ServerAddress("socket", path="/run/r.sock", database=4, password="p")),
        (
            "redis+sentinel://u:p@a,b:7,[::1]/shop/2",
            ServerAddress(
                "sentinel", hosts=(("a", 26379), ("b", 7), ("::1", 26379)), service="shop", database=2,
                username="u", password="p",
            ),
        ),
        (
            "rediss+sentinel://a/shop?sentinel_username=su&sentinel_password=sp",
            ServerAddress(
                "sentinel", hosts=(("a", 26379),), service="shop", tls=Tls(), sentinel_username="su",
                sentinel_password="sp",
            ),
        ),
        (
            "redis+cluster://:p@a:7000,b",
            ServerAddress("cluster", hosts=(("a", 7000), ("b", 6379)), password="p"),
        ),
        ("rediss+cluster://a/0", ServerAddress("cluster", hosts=(("a", 6379),), tls=Tls())),
    ],
)  # fmt: skip
def test_a_url_means(url: str, meant: ServerAddress) -> None:
    assert ServerAddress.parse(url) == meant


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"http://:{SECRET}@h/0", "must begin with redis://"),
        (f"redis+tls://:{SECRET}@h/0", "must begin with redis://"),
        (f"redis://u:{SECRET}@a,b/0", "must name one host; several begin with"),
        (f"redis://u:{SECRET}@h:0", "must name a host"),
        (f"redis://u:{SECRET}@a..b/0", "must name a host"),
        (f"redis://u:{SECRET}@\udcff/0", "must name a host"),
        (f"redis://u:{SECRET}@h:70000", "cannot be read"),
        (f"redis+sentinel://u:{SECRET}@a,b", "must name the service"),
        (f"redis+sentinel://u:{SECRET}@a,,b/shop", "must name a host"),
        (f"redis+sentinel://u:{SECRET}@a/shop/mail", "must name the database by its number"),
        (f"redis+cluster://u:{SECRET}@a/1", "must not name a database"),
        (f"redis://u:{SECRET}@h?sentinel_password={SECRET}", "has options for Sentinels"),
        (f"redis://u:{SECRET}@h?ssl_ca_certs=/a", "has options of TLS (ssl_ca_certs)"),
        (f"rediss://u:{SECRET}@h?ssl_cert_reqs=perhaps", "must have required, optional or none"),
        (f"rediss://u:{SECRET}@h?ssl_check_hostname=perhaps", "must have true or false"),
        (f"redis://u:{SECRET}@h?socket_timeout=60", "has options that cannot be given in the URL"),
        (f"unix://u:{SECRET}@run/redis.sock", "must name the path of a socket"),
    ],
)
def test_a_wrong_url_is_refused_with_the_rest_of_a_sentence(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}") as caught:
        ServerAddress.parse(url)
    assert SECRET not in str(caught.value)
    assert not str(caught.value).endswith(".")


def test_neither_text_nor_repr_shows_a_password() -> None:
    address = ServerAddress.parse(f"redis+sentinel://u:{SECRET}@a/shop?sentinel_password={SECRET}")
    assert SECRET not in f"{address} {address!r}"
