"""The console of the demo as a WSGI application: the real one, with buttons that signal the demo's workers.

Gunicorn loads it in a process of its own; DEMO_CONTROL tells where the demo listens.
"""

from __future__ import annotations

import os
from typing import Final

from dashboard import logs
from dashboard.demo.link import Link
from dashboard.demo.programs import CONTROL
from dashboard.settings import Settings
from dashboard.web import create_app

settings: Final = Settings.from_environ(os.environ)
logs.set_up(settings)
application: Final = create_app(settings, demo=Link(os.environ[CONTROL]))
