"""The console as a Flask application: reads through the inspector, acts through actions.

Owns: addresses, pages, forms, sign-in, headers. Refuses: Redis; nothing here imports a client.
"""

from dashboard.web.application import create_app
from dashboard.web.demo_hook import DemoHook

__all__ = ["DemoHook", "create_app"]
