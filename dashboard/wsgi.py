"""What a WSGI server loads: `gunicorn --config python:dashboard.gunicorn_conf dashboard.wsgi:app`.

Owns: from the environment to an application. Refuses: to connect to anything; Redis may come later.
"""

import os
import sys
from typing import Final

from flask import Flask

from dashboard import logs
from dashboard.settings import Settings, SettingsError
from dashboard.web import create_app

APP_LOAD_ERROR: Final = 4
"""Gunicorn's own exit code for this: it gives up, instead of trying again for ever."""


def build() -> Flask:
    """The console as the environment says; leaves with one sentence when a setting cannot be used."""
    try:
        settings = Settings.from_environ(os.environ)
        logs.set_up(settings)
        return create_app(settings)
    except SettingsError as error:
        sys.stderr.write(f"watchkeeper: {error}\n")
        raise SystemExit(APP_LOAD_ERROR) from None


app = application = build()
