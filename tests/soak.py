"""The long runs: `python -m tests.soak [NAME…]` runs each of RUNS for SOAK_SECONDS, an hour unless it is set.

Owns: their list, their time and the order. Refuses: to judge; a run's exit code says whether all was well.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

RUNS = {"model": "tests.model.soak", "chaos": "tests.chaos.soak"}
"""Programs, each of which takes `--seconds` and begins nothing new after them."""


def main(names: Sequence[str]) -> int:
    """Run the named ones, or all, one after the other until one finds a fault; return the exit code."""
    unknown = sorted(set(names) - set(RUNS))
    if unknown:
        print(f"No such run: {', '.join(unknown)}. There are: {', '.join(RUNS)}.")
        return 2
    seconds = os.environ.get("SOAK_SECONDS", "3600")
    for name in names or RUNS:
        print(f"{name}, for {seconds} s", flush=True)
        code = subprocess.run(
            [sys.executable, "-m", RUNS[name], "--seconds", seconds], check=False
        ).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
