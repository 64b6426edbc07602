"""The table of settings and its checks across rows.

An empty variable counts as absent. `WATCHKEEPER_X` goes before a customary `X` of the platform.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from dashboard.settings import parsing
from dashboard.settings.environment import parsed, refuse_unknown
from dashboard.settings.errors import SettingsError
from dashboard.settings.rows import Row, rows_of, setting

# Under this a busy machine, not a dead worker, would decide who is stale.
LEAST_STALE_AFTER_SECONDS = 3.0
# Two beats may be lost before a worker comes near the threshold.
BEATS_PER_STALE_AFTER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings in force. Frozen; `dataclasses.replace` makes a changed copy and checks it again."""

    redis_url: str = setting(
        "WATCHKEEPER_REDIS_URL",
        "redis://127.0.0.1:6379/0",
        "The Redis or Valkey server: redis://, rediss:// (TLS) or unix://, with user, password and "
        "database number if any; Sentinels (redis+sentinel://host,host/service/0) or a cluster "
        "(redis+cluster://host,host).",
        parsing.redis_url,
        customary="REDIS_URL",
        secret=True,
    )
    redis_ca_file: str = setting(
        "WATCHKEEPER_REDIS_CA_FILE",
        "",
        "For TLS: a PEM file with the authorities that may have signed the server's certificate. Without it "
        "those of the system are trusted.",
        parsing.text,
    )
    redis_certificate_file: str = setting(
        "WATCHKEEPER_REDIS_CERTIFICATE_FILE",
        "",
        "For TLS: the certificate that the server asks of its clients, as a PEM file.",
        parsing.text,
    )
    redis_key_file: str = setting(
        "WATCHKEEPER_REDIS_KEY_FILE",
        "",
        "For TLS: the key of that certificate, without a passphrase, unless it stands in the same file.",
        parsing.text,
    )
    redis_timeout_seconds: float = setting(
        "WATCHKEEPER_REDIS_TIMEOUT_SECONDS",
        "2",
        "How long one answer of the server may take. A blocking claim gets its block time and 5 s on top.",
        parsing.seconds(0.1, 60),
    )
    server_name: str = setting(
        "WATCHKEEPER_SERVER_NAME",
        "redis",
        "The name of this server in the addresses of the console.",
        parsing.slug,
    )
    environment: str = setting(
        "WATCHKEEPER_ENVIRONMENT",
        "local",
        "The word that the console always shows, so that nobody mistakes production for staging.",
        parsing.text,
    )
    queues: tuple[bytes, ...] = setting(
        "WATCHKEEPER_QUEUES",
        "",
        "Queues to watch over, separated by commas: shown even while empty, and served by the janitor. "
        "Queues that are marked managed in their policy are found without it.",
        parsing.queue_names,
    )
    stale_after_seconds: float = setting(
        "WATCHKEEPER_STALE_AFTER_SECONDS",
        "30",
        "A worker whose heartbeat stays unchanged for this long is stale, and its jobs may be reaped. "
        "Late is over half of it. At least 3.",
        parsing.seconds(LEAST_STALE_AFTER_SECONDS, 86_400),
    )
    beat_seconds: float = setting(
        "WATCHKEEPER_BEAT_SECONDS",
        "5",
        "How often a worker beats. At most a third of the threshold above.",
        parsing.seconds(0.1, 28_800),
    )
    max_attempts: int = setting(
        "WATCHKEEPER_MAX_ATTEMPTS",
        "3",
        "How many failed or crashed runs a job may have and still run again: attempts above it mean dead.",
        parsing.whole(0, 1_000_000),
    )
    reaping: Literal["automatic", "manual"] = setting(
        "WATCHKEEPER_REAPING",
        "automatic",
        "Whether the janitor reaps stale workers itself (automatic) or leaves it to an operator (manual).",
        parsing.one_of("automatic", "manual"),
    )
    adopt_orphans: bool = setting(
        "WATCHKEEPER_ADOPT_ORPHANS",
        "true",
        "Whether the janitor gives a list without a heartbeat one, so that it is reaped after the threshold.",
        parsing.yes_or_no,
    )
    trash_count: int = setting(
        "WATCHKEEPER_TRASH_COUNT",
        "10000",
        "How many discarded jobs the trash of a queue keeps for undo; the oldest go first.",
        parsing.whole(0, 10_000_000),
    )
    host: str = setting(
        "WATCHKEEPER_HOST",
        "127.0.0.1",
        "The address that the console listens on. One that is not loopback needs a sign-in.",
        parsing.text,
    )
    port: int = setting(
        "WATCHKEEPER_PORT",
        "8080",
        "The port that the console listens on; 0 takes a free one.",
        parsing.whole(0, 65_535),
        customary="PORT",
    )
    web_processes: int = setting(
        "WATCHKEEPER_WEB_PROCESSES",
        "1",
        "Processes of the console. One is enough for a team.",
        parsing.whole(1, 64),
    )
    web_threads: int = setting(
        "WATCHKEEPER_WEB_THREADS",
        "8",
        "Threads of each process of the console, and so the pages that it can draw at the same time.",
        parsing.whole(1, 256),
    )
    users_file: str = setting(
        "WATCHKEEPER_USERS_FILE",
        "",
        "A file of people who may sign in, one a line: name, role (viewer, operator or admin) and the hash "
        "that `watchkeeper password` makes.",
        parsing.text,
    )
    password: str = setting(
        "WATCHKEEPER_PASSWORD",
        "",
        "The password of a single operator, instead of a users file.",
        parsing.text,
        secret=True,
    )
    operator_name: str = setting(
        "WATCHKEEPER_OPERATOR_NAME",
        "operator",
        "The name that acts are recorded under when nobody signs in, or when the single password is used.",
        parsing.text,
    )
    session_seconds: int = setting(
        "WATCHKEEPER_SESSION_SECONDS",
        "43200",
        "How long a sign-in lasts.",
        parsing.whole(60, 31_536_000),
    )
    poll_seconds: float = setting(
        "WATCHKEEPER_POLL_SECONDS",
        "2",
        "How often an open page looks for news; 0 turns it off. A viewer can choose another interval.",
        parsing.seconds(0, 3_600),
    )
    page_size: int = setting(
        "WATCHKEEPER_PAGE_SIZE",
        "50",
        "Rows on a page.",
        parsing.whole(1, 500),
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "WATCHKEEPER_LOG_LEVEL",
        "info",
        "The least grave lines that are logged: debug, info, warning or error.",
        parsing.one_of("debug", "info", "warning", "error"),
    )
    log_format: Literal["console", "json"] = setting(
        "WATCHKEEPER_LOG_FORMAT",
        "console",
        "Lines for people (console) or for machines (json).",
        parsing.one_of("console", "json"),
    )

    def __post_init__(self) -> None:
        """Check what no row can check alone; raises SettingsError."""
        if self.stale_after_seconds < LEAST_STALE_AFTER_SECONDS:
            raise SettingsError(
                f"WATCHKEEPER_STALE_AFTER_SECONDS is {self.stale_after_seconds:g}: "
                f"it must be at least {LEAST_STALE_AFTER_SECONDS:g}."
            )
        if self.beat_seconds * BEATS_PER_STALE_AFTER > self.stale_after_seconds:
            raise SettingsError(
                f"WATCHKEEPER_BEAT_SECONDS is {self.beat_seconds:g}: it must be at most a third of "
                f"WATCHKEEPER_STALE_AFTER_SECONDS, which is {self.stale_after_seconds:g}."
            )

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings from an environment; raises SettingsError for the first wrong or unknown one."""
        rows = cls.rows()
        refuse_unknown(environ, rows)
        values: dict[str, Any] = {}
        for row in rows:
            for variable in filter(None, (row.variable, row.customary)):
                if written := environ.get(variable, "").strip():
                    values[row.name] = parsed(row, variable, written)
                    break
        return cls(**values)

    @classmethod
    def rows(cls) -> tuple[Row, ...]:
        """The table, in the order in which it is documented."""
        return rows_of(cls)

    @property
    def listens_on_loopback(self) -> bool:
        """Whether the console can be reached from this machine only."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def has_sign_in(self) -> bool:
        """Whether people have to sign in."""
        return bool(self.users_file or self.password)

    def check_public_address(self) -> None:
        """Refuse a console that everyone on the network could use; raises SettingsError."""
        if not self.listens_on_loopback and not self.has_sign_in:
            raise SettingsError(
                f"WATCHKEEPER_HOST is {self.host!r}, which others can reach: set WATCHKEEPER_USERS_FILE "
                "or WATCHKEEPER_PASSWORD first, or listen on 127.0.0.1."
            )
