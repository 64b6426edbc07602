"""docs/settings.md, written from the table, so that it cannot lag behind."""

from dashboard.settings.rows import Row
from dashboard.settings.table import Settings

HEAD = """\
# Settings

Everything is set by environment variables; a variable that is empty counts as absent. A variable that
begins with `WATCHKEEPER_` and is not listed here is refused, with the name that was probably meant.
A wrong value is refused with one sentence and exit code 2.

This page is written by `python -m dashboard.settings > docs/settings.md`; a test keeps it true.

| variable | default | meaning |
|---|---|---|
"""


def document() -> str:
    """The page as Markdown."""
    return HEAD + "".join(line(row) for row in Settings.rows())


def line(row: Row) -> str:
    """The line of one row."""
    customary = f"; `{row.customary}` is read when it is absent" if row.customary else ""
    default = f"`{row.default}`" if row.default else "none"
    return f"| `{row.variable}`{customary} | {default} | {row.help} |\n"
