"""Does what an enclave is sent depend on text that it does not admit? Random two-run trials of the shipped beam.

    python benchmarks/noninterference.py [--trials N] [--seed N] [--http] [--json FILE]

A trial draws a table of enclaves (two, three, a mirror, compartments, a ladder, two hosts that each admit what the
other does not), a question, a privacy mode, a search mode for all and sometimes others for some enclaves, a ranking, 1
to 3 hops, passages to fetch ahead or none, and two sets of private corpora. It fails when the observed enclave is sent
anything different in the two runs: a text, a vector, a mode, a number, or their order or count.
"with grants" draws grants too, for the question or standing, some of them over, revoked or another's: there a private
corpus stays the same when the observed enclave was granted it.
Expected: 0 for the shipped beam. Four ways that are known to leak run on the same trials and show that it can fail;
they run on a tenth of the trials. Exit code 1 when the shipped beam fails once.
With `--http` every enclave is behind the shipped server on loopback, and what is compared is every byte of every
request; in a quarter of the trials hidden servers hang up in the second run, in another the observed one goes wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from answerable.chains.beam import gather
from tests.laws import broken
from tests.laws.wired import Slot, every_third, seen, slots
from tests.laws.worlds import Gather, draw

VARIANTS: tuple[tuple[str, Gather, int, bool], ...] = (
    ("shipped", gather, 1, False),
    ("with grants", gather, 1, True),
    ("mask afterwards", broken.mask, 10, False),
    ("one joint beam", broken.joint, 10, False),
    ("keep old chains", broken.keep_old, 10, False),
    ("fetch when refused", broken.late, 10, False),
)
"""Name, how it gathers, the part of the trials it is run on, and whether grants are drawn."""


def run(gather: Gather, trials: int, seed: int, granting: bool = False) -> dict[str, float]:
    """How many of the trials fail, how many queries the observed enclaves were sent, and how long it took."""
    rng = random.Random(seed)
    started = time.perf_counter()
    failed = queries = 0
    for _ in range(trials):
        first, second = draw(rng, granting=granting).seen(gather)
        failed += first != second
        queries += len(first) + len(second)
    return {"trials": trials, "failed": failed, "queries": queries, "seconds": round(time.perf_counter() - started, 2)}


def run_http(gather: Gather, trials: int, seed: int, servers: list[Slot], granting: bool = False) -> dict[str, float]:
    """The same over HTTP: requests instead of queries."""
    rng = random.Random(seed)
    started = time.perf_counter()
    failed = requests = 0
    for number in range(trials):
        failing, faults = number % 4 == 1, every_third if number % 4 == 3 else None
        first, second = seen(draw(rng, granting=granting), gather, servers, failing, faults)
        failed += first != second
        requests += len(first) + len(second)
    return {"trials": trials, "failed": failed, "queries": requests, "seconds": round(time.perf_counter() - started, 2)}


def main() -> int:
    """Run every variant and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--http", action="store_true", help="through servers on loopback, byte by byte")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    with slots() if arguments.http else nullcontext([]) as servers:
        figures = {}
        for name, how, part, granting in VARIANTS:
            trials, seed = max(1, arguments.trials // part), arguments.seed
            over = run_http(how, trials, seed, servers, granting) if servers else run(how, trials, seed, granting)
            figures[name] = over
    print(f"{'variant':<20}{'failed':>8}{'trials':>8}{'queries seen':>14}{'seconds':>9}")
    for name, row in figures.items():
        print(f"{name:<20}{row['failed']:>8}{row['trials']:>8}{row['queries']:>14}{row['seconds']:>9}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if figures["shipped"]["failed"] or figures["with grants"]["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
