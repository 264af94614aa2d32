"""Does what an enclave is sent depend on text that it does not admit? Random two-run trials of the shipped beam.

    python benchmarks/noninterference.py [--trials N] [--seed N] [--http] [--json FILE]

A trial draws a table of enclaves (two, three, a mirror, compartments, a ladder, two hosts that each admit what the
other does not), a question, a privacy mode, a search mode for all and sometimes others for some enclaves, a ranking, 1
to 3 hops, passages to fetch ahead or none, and two sets of private corpora. It fails when the observed enclave is sent
anything different in the two runs: a text, a vector, a mode, a number, or their order or count.
"with grants" draws grants too, for the question or standing, some of them over, revoked or another's: there a private
corpus stays the same when the observed enclave was granted it.
"several asks" asks three or four questions in a row, for two askers, of enclaves that fail at some searches. It fails
also when the second asker, who may read nothing private, is told anything different: in answers to own questions, in
the traces of others as they are shown, in errors, or in the log.
Expected: 0 for the shipped beam. Ways that are known to leak run beside it, on a tenth of the trials, and show that
it can fail (tests/laws/broken.py and broken_sessions.py say what each does). Exit code 1 when the shipped beam fails.
With `--http` every enclave is behind the shipped server on loopback, and what is compared is every byte of every
request; in a quarter of the trials hidden servers hang up in the second run, in another the observed one goes wrong.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import common
from answerable.chains.beam import gather
from tests.laws import broken, broken_sessions
from tests.laws.sessions import SESSION_TABLES, Make, draw_session
from tests.laws.wired import Slot, every_third, seen, slots
from tests.laws.worlds import Gather, draw

SINGLE: tuple[tuple[str, Gather, int, bool], ...] = (
    ("shipped", gather, 1, False),
    ("with grants", gather, 1, True),
    ("mask afterwards", broken.mask, 10, False),
    ("one joint beam", broken.joint, 10, False),
    ("keep old chains", broken.keep_old, 10, False),
    ("fetch when refused", broken.late, 10, False),
    ("end early", broken.enough, 10, False),
)
"""One ask: a name, how it gathers, the part of the trials it is run on, and whether grants are drawn."""
SEVERAL: tuple[tuple[str, Make, int], ...] = (
    ("several asks", lambda: gather, 5),
    ("ask again when nothing is found", lambda: broken_sessions.again, 10),
    ("remember answers", broken_sessions.Answers, 10),
    ("remember hits for all askers", broken_sessions.Hops, 10),
    ("one memory for all enclaves", broken_sessions.Crowded, 10),
    ("give up for all labels", lambda: broken_sessions.give_up, 10),
    ("log what failed", lambda: broken_sessions.quoting, 10),
)
"""Several asks: a name, what makes the way to gather, and the part of the trials."""
SHIPPED = ("shipped", "with grants", "several asks")


Both = Callable[[int, random.Random], tuple[Any, Any, int]]
"""What was seen in the two runs of a trial, by its number, and how many queries or requests that is."""


def trials(count: int, seed: int, both: Both) -> dict[str, float]:
    """How many of the trials fail, how many queries the observed enclaves were sent, and how long it took."""
    rng, started = random.Random(seed), time.perf_counter()
    failed = queries = 0
    for number in range(count):
        first, second, sent = both(number, rng)
        failed += first != second
        queries += sent
    return {"trials": count, "failed": failed, "queries": queries, "seconds": round(time.perf_counter() - started, 2)}


def one_ask(gather: Gather, granting: bool, servers: list[Slot]) -> Both:
    """One ask; with servers over HTTP, where requests count instead of queries."""

    def both(number: int, rng: random.Random) -> tuple[Any, Any, int]:
        drawn = draw(rng, granting=granting)
        failing, faults = number % 4 == 1, every_third if number % 4 == 3 else None
        first, second = seen(drawn, gather, servers, failing, faults) if servers else drawn.seen(gather)
        return first, second, len(first) + len(second)

    return both


def several_asks(make: Make) -> Both:
    """Several asks in a row. `give up for all labels` can show only on the table with two such labels."""
    tables = SESSION_TABLES[-1:] if make() is broken_sessions.give_up else SESSION_TABLES

    def both(_: int, rng: random.Random) -> tuple[Any, Any, int]:
        first, second = draw_session(rng, tables).told(make)
        return first, second, len(first.enclave) + len(second.enclave)

    return both


def main(words: list[str] | None = None) -> int:
    """Run every variant and print a table."""
    parser = common.parser(__doc__, seed=7)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--http", action="store_true", help="through servers on loopback, byte by byte")
    given = parser.parse_args(words)
    figures: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        servers = stack.enter_context(slots()) if given.http else []
        for name, how, part, granting in SINGLE:
            both = one_ask(how, granting, servers)
            figures[name] = trials(max(1, given.trials // part), given.seed, both)
    for name, make, part in () if given.http else SEVERAL:
        figures[name] = trials(max(1, given.trials // part), given.seed, several_asks(make))
    common.tell(given.json, figures)
    return 1 if any(figures[name]["failed"] for name in SHIPPED if name in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
