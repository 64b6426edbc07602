"""Prints docs/settings.md: `python -m dashboard.settings > docs/settings.md`."""

import sys

from dashboard.settings.document import document

sys.stdout.write(document())
