"""The application: everything put together.

Owns: `create_app`. Refuses: to connect; the application starts without Redis and finds it later.
"""

from __future__ import annotations

from flask import Flask

from dashboard import redis_client
from dashboard.places import static_dir, templates_dir
from dashboard.queue.connections import ClientFactory
from dashboard.settings import Settings
from dashboard.web import assets, compiled, drawn_rows, errors, filters, routing
from dashboard.web.demo_hook import DemoHook
from dashboard.web.gate import Gate
from dashboard.web.services import Services
from dashboard.web.tokens import NameConverter
from dashboard.web.urls import OWN

# A form of "Retry 5,000 selected" has a line of some 130 bytes for each row; Flask's own limits (500 kB of
# text, 1,000 parts) would refuse it. What is larger gets a readable 413.
FORM_BYTES_MAX = 8 * 1024 * 1024
FORM_PARTS_MAX = 50_000


def create_app(
    settings: Settings, *, factory: ClientFactory | None = None, demo: DemoHook | None = None
) -> Flask:
    """The console for one server.

    `factory` builds Redis clients; without one the settings' own does. `demo` adds the buttons of a demo.
    Raises SettingsError for a public address without sign-in and for a users file that cannot be used.
    """
    settings.check_public_address()
    app = Flask(
        "dashboard",
        root_path=str(templates_dir().parent),
        template_folder=str(templates_dir()),
        static_folder=str(static_dir()),
        static_url_path=f"{OWN}/static",
    )
    app.config.update(
        MAX_CONTENT_LENGTH=FORM_BYTES_MAX,
        MAX_FORM_MEMORY_SIZE=FORM_BYTES_MAX,
        MAX_FORM_PARTS=FORM_PARTS_MAX,
        POLL_SECONDS=settings.poll_seconds,
    )
    app.url_map.converters["name"] = NameConverter
    # `/q/a//b` is no address of ours; it must not be taken for one.
    app.url_map.merge_slashes = False
    # A redirect to the address with a slash would name scheme and host, which a proxy may have changed.
    app.url_map.strict_slashes = False
    app.extensions["watchkeeper.services"] = Services.build(
        settings, factory or redis_client.factory_of(settings), demo
    )
    app.extensions["watchkeeper.gate"] = door = Gate(settings)
    door.install(app)
    filters.install(app)
    drawn_rows.install(app)
    assets.install(app)
    compiled.install(app)
    errors.install(app)
    routing.install(app)
    return app
