"""`python -m bench [NAME …]`: run the measurements and write their tables into bench/README.md.

Owns: the order of the measurements and the results section of the README, between two markers. With names
(overview, retry-all, throughput, recovery) only those are run and printed, and the README is left alone.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench import overview, recovery, retry_all, throughput
from bench.figures import Figure, table
from tests.support.server import ValkeyServer

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"

MEASUREMENTS: dict[str, tuple[str, Callable[[ValkeyServer], list[Figure]]]] = {
    "overview": ("The overview, 50 queues × 200 workers, collector warm", overview.measure),
    "retry-all": ("Retry all of 100,000 dead jobs of 250 bytes", retry_all.measure),
    "throughput": ("One worker process, jobs that do nothing", throughput.measure),
    "recovery": ("After a death, until the work goes on", recovery.measure),
}


def main(names: list[str]) -> int:
    """Measure; exit code 1 when a goal was missed, 2 for an unknown name."""
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        print(f"no measurement is called {unknown[0]}; there are {', '.join(MEASUREMENTS)}", file=sys.stderr)
        return 2
    sections, missed = [machine()], 0
    print(sections[0], flush=True)
    for name in names or MEASUREMENTS:
        title, measure = MEASUREMENTS[name]
        started = time.monotonic()
        with ValkeyServer() as server:
            figures = measure(server)
        missed += sum(not figure.is_reached for figure in figures)
        sections.append(f"### {title}\n\n{table(figures)}")
        print(f"\n{sections[-1]}\n\n({time.monotonic() - started:.0f} s)", flush=True)
    if not names:
        write("\n\n".join(sections))
    return 1 if missed else 0


def machine() -> str:
    """What the figures were taken on, in general words."""
    with ValkeyServer() as server, server.client() as client:
        facts = client.info("server")
    version = facts.get("valkey_version") or facts["redis_version"]
    return (
        f"Taken on {os.cpu_count()} cores ({platform.system()}, {platform.machine()}), "
        f"Python {platform.python_version()}, Valkey {version}, everything on one machine, "
        f"on {time.strftime('%d %B %Y', time.gmtime())}; "
        f"load average before: {os.getloadavg()[0]:.1f}. A million additions in a loop took "
        f"{additions_ms():.0f} ms of processor time then."
    )


def additions_ms() -> float:
    """How fast this machine is just now: milliseconds for a million additions, the best of five."""
    spent = []
    for _ in range(5):
        started = time.thread_time()
        sum(range(1_000_000))
        spent.append((time.thread_time() - started) * 1000)
    return min(spent)


def write(results: str) -> None:
    """Replace the section between the markers."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n\n{results}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
