"""`python -m tests.mutants [WORD…]`: plant every bug, or those whose names hold all the words, one at a time.

Prints a line for each; exits with 1 when one survives or could not be tried.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.mutant import Mutant
from tests.mutants.planted import PLANTED
from tests.mutants.running import Outcome, attempt, copy_tracked, failures_without_bugs
from tests.support.processes import ROOT

AT_ONCE = 2


def main(words: Sequence[str]) -> int:
    """Try the planted bugs whose names hold all `words`; return the exit code."""
    mutants = [mutant for mutant in PLANTED if all(word in mutant.name for word in words)]
    if not mutants:
        print("No planted bug has such a name.")
        return 2
    return try_all(mutants)


def try_all(mutants: Sequence[Mutant]) -> int:
    """Try them two at a time and print what came of each; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="watchkeeper-mutants-") as folder:
        base = Path(folder) / "tree"
        copy_tracked(ROOT, base)
        failures = failures_without_bugs(base, mutants)
        if failures:
            print(f"{failures}\nWithout any bug these tests do not pass, so they can catch none.")
            return 1
        with ThreadPoolExecutor(AT_ONCE) as pool:
            outcomes = []
            for outcome in pool.map(lambda mutant: attempt(base, mutant), mutants):
                outcomes.append(outcome)
                print(line_of(outcome), flush=True)
    caught = sum(outcome.verdict == "caught" for outcome in outcomes)
    print(f"{caught} of {len(outcomes)} planted bugs were caught by their tests.")
    return 0 if caught == len(outcomes) else 1


def line_of(outcome: Outcome) -> str:
    """One line of the table, and below it what an error told."""
    mutant = outcome.mutant
    function = mutant.test.partition("::")[2]
    line = f"{outcome.verdict:8}  {outcome.seconds:5.1f} s  {mutant.name}\n{'':19}{function}"
    return line + (f"\n{outcome.told}" if outcome.told else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
