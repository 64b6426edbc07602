"""Every setting once: its name, environment variable, default, meaning and check.

Owns: reading `WATCHKEEPER_*` (and the customary `REDIS_URL`, `PORT`) into one frozen `Settings`, and the
sentences that refuse a wrong value. Refuses: to connect to anything, to read a file, to show a secret.

    SettingsError     the one error; its text is one sentence that names the variable
    Settings          the values; every field is one row of the table in `table`
    document()        docs/settings.md, made from the same rows (`python -m dashboard.settings`)
"""

from dashboard.settings.document import document
from dashboard.settings.errors import SettingsError
from dashboard.settings.rows import Row
from dashboard.settings.table import Settings

__all__ = ["Row", "Settings", "SettingsError", "document"]
