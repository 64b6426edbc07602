"""What a WSGI server loads: `gunicorn --config python:dashboard.gunicorn_conf dashboard.wsgi:app`.

Owns: from the environment to an application. Refuses: to connect to anything; Redis may come later.
"""

import os

from flask import Flask

from dashboard import logs
from dashboard.settings import Settings
from dashboard.web import create_app


def build() -> Flask:
    """The console as the environment says. Raises SettingsError for what cannot be used."""
    settings = Settings.from_environ(os.environ)
    logs.set_up(settings)
    return create_app(settings)


app = application = build()
