"""From variables of the environment to values, by the rows of the table.

Owns: the sentences that refuse a wrong value or an unknown variable. Refuses: to show what may be secret.
"""

import difflib
from collections.abc import Mapping

from dashboard.settings.errors import SettingsError
from dashboard.settings.rows import Row

PREFIX = "WATCHKEEPER_"


def parsed(row: Row, variable: str, written: str) -> object:
    """The value of one row; raises SettingsError that shows what was written unless it may be secret."""
    try:
        return row.parse(written)
    except ValueError as error:
        shown = "" if row.secret else f" is {written!r}: it"
        raise SettingsError(f"{variable}{shown} {error}.") from None


def refuse_unknown(environ: Mapping[str, str], rows: tuple[Row, ...]) -> None:
    """Raise SettingsError for a variable with our prefix that no row reads: it is a slip of the pen."""
    known = [row.variable.removeprefix(PREFIX) for row in rows]
    for variable in sorted(environ):
        rest = variable.removeprefix(PREFIX)
        if rest != variable and rest not in known:
            close = difflib.get_close_matches(rest, known, n=1)
            hint = f"did you mean {PREFIX}{close[0]}?" if close else "docs/settings.md lists all settings."
            raise SettingsError(f"{variable} is no setting: {hint}")
