"""Log lines: one format for our own lines and for those of the libraries, on standard error.

Owns: the set-up of structlog and of the standard library's logging, which the queue and gunicorn use.
Refuses: to write a secret, whichever library wants to: values of secret names and the user part of any URL
are struck out, in tracebacks too.
"""

import logging
import logging.config
import re
from collections.abc import MutableMapping
from typing import Any

import structlog

from dashboard.settings import Settings

SECRET_NAMES = re.compile(r"passw|secret|token|cookie|authorization|credential", re.IGNORECASE)
# scheme://user:password@host, wherever it stands in a text; up to the last @ before white space or a quote.
URL_CREDENTIALS = re.compile(r"(\w+://)[^\s'\"]*@")
STRUCK_OUT = "***"

Event = MutableMapping[str, Any]


def set_up(settings: Settings) -> None:
    """Send all log lines of this process to standard error, as the settings say."""
    logging.config.dictConfig(logging_config(settings))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared_processors(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_config(settings: Settings) -> dict[str, Any]:
    """The configuration of the standard library's logging, also for gunicorn's `logconfig_dict`."""
    level = settings.log_level.upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lines": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": shared_processors(),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *renderers(settings),
                ],
            }
        },
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["lines"], "level": level},
        "loggers": {
            "gunicorn.error": {"handlers": [], "level": level, "propagate": True},
            # An access log would repeat every poll.
            "gunicorn.access": {"handlers": [], "level": "WARNING", "propagate": True},
            "werkzeug": {"handlers": [], "level": level, "propagate": True},
        },
    }


def shared_processors() -> list[Any]:
    """What every line gets, whoever wrote it."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def renderers(settings: Settings) -> list[Any]:
    """From an event to a line; tracebacks become text before secrets are struck out."""
    to_line: Any
    if settings.log_format == "json":
        to_line = structlog.processors.JSONRenderer(ensure_ascii=False)
    else:
        to_line = structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
    return [structlog.processors.format_exc_info, readable, without_secrets, to_line]


def readable(logger: object, method: str, event: Event) -> Event:  # noqa: ARG001 - structlog's signature
    """Names and ids are bytes: write them as text, bytes that are none as escapes."""
    for name, value in event.items():
        if isinstance(value, bytes):
            event[name] = value.decode("utf-8", "backslashreplace")
    return event


def without_secrets(logger: object, method: str, event: Event) -> Event:  # noqa: ARG001 - structlog's signature
    """Strike out the values of secret names and the credentials in URLs."""
    for name, value in event.items():
        if SECRET_NAMES.search(name):
            event[name] = STRUCK_OUT
        elif isinstance(value, str):
            event[name] = URL_CREDENTIALS.sub(rf"\1{STRUCK_OUT}@", value)
    return event
