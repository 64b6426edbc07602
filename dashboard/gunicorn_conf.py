"""Gunicorn's configuration: `gunicorn --config python:dashboard.gunicorn_conf dashboard.wsgi:app`.

Gunicorn reads the names below. Threads of one process share the collector and the connection pool; a page
is short and waits mostly for Redis, so threads, not processes, are what a console needs more of.
"""

import os
import sys

from dashboard.logs import logging_config
from dashboard.settings import Settings, SettingsError

WRONG_SETTINGS_EXIT_CODE = 2

try:
    settings = Settings.from_environ(os.environ)
    settings.check_public_address()
except SettingsError as error:
    sys.stderr.write(f"watchkeeper: {error}\n")
    sys.exit(WRONG_SETTINGS_EXIT_CODE)

proc_name = "watchkeeper-web"
bind = f"[{settings.host}]:{settings.port}" if ":" in settings.host else f"{settings.host}:{settings.port}"
worker_class = "gthread"
workers = settings.web_processes
threads = settings.web_threads
# Browsers hold a connection for the next poll: longer than the slowest usual interval, short enough to leave.
keepalive = 15
# A page that takes longer than this is lost anyway; one answer of Redis takes redis_timeout_seconds at most.
timeout = 60
graceful_timeout = 10
logconfig_dict = logging_config(settings)
# Nothing but signals controls the server: no socket file in somebody's home.
control_socket_disable = True
