"""Runs the demo: `python -m dashboard.demo [--port N] [--no-open]`; the command line starts it like this.

Exit codes: 0 after Ctrl-C or SIGTERM, 1 when the demo could not go on, 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import sys

from dashboard.demo.components import DemoEnded
from dashboard.demo.run import run
from dashboard.queue.errors import QueueError
from dashboard.settings import SettingsError


def main() -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(prog="watchkeeper demo", description="A demo with real workers.")
    parser.add_argument("--port", type=int, default=None)
    parser.add_argument("--no-open", action="store_true")
    arguments = parser.parse_args()
    try:
        run(arguments.port, open_browser=not arguments.no_open)
    except (DemoEnded, SettingsError, QueueError) as error:
        print(f"watchkeeper demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
