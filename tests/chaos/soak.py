"""Trials for as long as told: `python -m tests.chaos.soak --seconds 3600 --seed 1`.

Owns: which trial comes next, on which server, under which seed, and the sums. Refuses: to go on over a fault:
the history of a trial that found one is kept, and its command line printed.
"""

from __future__ import annotations

import argparse
import random
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.chaos.trials import TRIALS
from tests.support.server import Kind

KINDS: list[Kind] = ["valkey", "redis"]


def run(name: str, kind: Kind, seed: int, totals: Counter[str]) -> bool:
    """Run one trial, add to the sums, and tell whether all was well."""
    folder = Path(tempfile.mkdtemp(prefix="watchkeeper-chaos-"))
    print(f"\n{name} on {kind}, again: python -m tests.chaos.soak --only {name} --kind {kind} --seed {seed}")
    verdict = TRIALS[name](folder, kind, seed)
    print(verdict.summary(), flush=True)
    totals.update(
        trials=1,
        kills=verdict.kill_count,
        jobs=len(verdict.history.stored),
        runs=len(verdict.history.runs),
        faults=len(verdict.faults),
    )
    if verdict.faults:
        print(f"the journal, the events and the logs are in {folder}")
    else:
        shutil.rmtree(folder)
    return not verdict.faults


def main(arguments: list[str]) -> int:
    """Run trials until the time is over or one finds a fault; 1 then."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak")
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no trial after this long")
    parser.add_argument("--seed", type=int, default=None, help="of the sequence, or of the one trial")
    parser.add_argument("--only", choices=TRIALS, help="run this trial once")
    parser.add_argument("--kind", choices=KINDS, default="valkey", help="the server of the one trial")
    options = parser.parse_args(arguments)
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    totals: Counter[str] = Counter()
    if options.only:
        return 0 if run(options.only, options.kind, seed, totals) else 1
    print(f"seed {seed}")
    chance, ends_at, went_well = random.Random(seed), time.monotonic() + options.seconds, True
    while went_well and time.monotonic() < ends_at:
        # All of them in a new order, so that a short soak leaves none out.
        for name in chance.sample(list(TRIALS), len(TRIALS)):
            went_well = run(name, chance.choice(KINDS), chance.randrange(1_000_000), totals)
            if not went_well or time.monotonic() >= ends_at:
                break
    print("\n" + ", ".join(f"{count} {what}" for what, count in totals.items()))
    return 0 if went_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
