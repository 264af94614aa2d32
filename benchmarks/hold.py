"""Can some clients hold a server so that others wait? `answerable serve` under clients of which some misbehave.

    python benchmarks/hold.py [--seconds 600] [--clients 200] [--misbehaving 50] [--each 10] [--rounds 5] [--json FILE]

The sample's public enclave is served by a process of its own on loopback, without tokens and with its limits as they
are by default, but for the rate. The well-behaved clients, threads of this process, search it through the shipped
client, each every five seconds on average, over connections that they keep. The others, in a third process, hold `each`
connections at once, half of them from another address, and connect again a second after they are hung up on:

    silence      says nothing
    head, body   sends a byte of the head or of the body every half second
    stray lines  asks once, then sends an empty line now and then
    unread       sends a search for 1,000 passages every ten seconds or so, never reads, and begins anew after a minute
    half-closed  ends its side after a request, and never reads
    garbage      sends random bytes
    headers      sends headers without end

None of these floods the server with searches: against that there is `rate`, which is off here.

Rounds are pairs: a fifth of the time without these, then all of it with them, so that what else runs on the machine
meets both; `seconds` is the time with them. Told are the waits of the well-behaved in ms, how many of their requests
failed (after the client's three tries), how many waited over a second longer than the longest wait without, and how
long each kind held a connection at most. Exit code 1 when one failed or waited so.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import common
from answerable.cli.demo import SAMPLE
from answerable.errors import RemoteError
from answerable.remote.client import RemoteEnclave
from answerable.remote.place import Place, RemoteSettings
from answerable.types import Skill
from answerable.workspace.opening import open_workspace
from misbehaving import UNREAD, misbehave
from remote import Asked
from served import Process, questions

PAUSE = 5.0
"""Seconds between two searches of a client, on average."""


def behave(
    place: str, encoder: Any, asked: Sequence[Asked], clients: int, seconds: float
) -> tuple[list[float], Counter[str]]:
    """The waits of the well-behaved, in seconds, and why requests failed."""
    waits: list[float] = []
    failed: Counter[str] = Counter()
    until = time.monotonic() + seconds

    def one(number: int) -> None:
        chance = random.Random(number)
        there = RemoteEnclave("wiki", Place(place), encoder, RemoteSettings(timeout=30.0, tries=3))
        while time.monotonic() + (pause := chance.uniform(0, 2 * PAUSE)) < until:
            time.sleep(pause)
            text, vector = chance.choice(asked)
            began = time.monotonic()
            try:
                there.search(text, vector, "hybrid", 10)
            except RemoteError as error:
                failed[str(error)] += 1
            waits.append(time.monotonic() - began)
        there.close()

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(one, range(clients)))
    return waits, failed


def rounds(given: argparse.Namespace, url: str, encoder: Any, asked: Sequence[Asked]) -> dict[str, Any]:
    """Pairs of times without those that misbehave and with them."""
    port, good, context = (
        int(url.rsplit(":", 1)[1]),
        given.clients - given.misbehaving,
        multiprocessing.get_context("spawn"),
    )
    waits: dict[str, list[float]] = {"without": [], "with": []}
    failed: dict[str, Counter[str]] = {"without": Counter(), "with": Counter()}
    held: defaultdict[str, list[float]] = defaultdict(list)
    load = []
    for _ in range(given.rounds):
        for name, seconds in (("without", given.seconds / given.rounds / 5), ("with", given.seconds / given.rounds)):
            load.append(os.getloadavg()[0])
            told: Any = context.Queue()
            others = context.Process(target=misbehave, args=(port, given.misbehaving, given.each, seconds, told))
            if name == "with":
                others.start()
            some, why = behave(url, encoder, asked, good, seconds)
            waits[name] += some
            failed[name] += why
            if name == "with":
                for kind, times in told.get(timeout=seconds + 60).items():
                    held[kind] += times
                others.join()
    longest = max(waits["without"])
    figures: dict[str, Any] = {
        name: {
            "requests": len(some),
            "failed": failed[name].total(),
            "why": dict(failed[name]),
            "median": 1000 * statistics.median(some),
            "99 %": 1000 * sorted(some)[int(0.99 * len(some))],
            "longest": 1000 * max(some),
        }
        for name, some in waits.items()
    }
    figures["with"]["over a second longer"] = sum(one > longest + 1 for one in waits["with"])
    figures["held"] = {
        kind: {"connections": len(some)} | ({} if kind in UNREAD else {"longest s": max(some)})
        for kind, some in sorted(held.items())
    }
    return figures | {"load": [min(load), statistics.median(load), max(load)], "processors": os.cpu_count()}


def main(words: list[str] | None = None) -> int:
    """Run and print what was measured."""
    parser = common.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=200, help="all of them")
    parser.add_argument("--misbehaving", type=int, default=50)
    parser.add_argument("--each", type=int, default=10, help="connections that each of these holds at once")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args(words)
    os.environ["ANSWERABLE_MODELS_ENCODER"] = "hashed"
    asked_for = {key: getattr(given, key) for key in ("seconds", "clients", "misbehaving", "each", "rounds")}
    figures: dict[str, Any] = {**asked_for}
    with tempfile.TemporaryDirectory() as place:
        with open_workspace(place, create=True) as opened:
            opened.index([SAMPLE / "public"], "wiki", "public")
            encoder = opened.engine().retriever.encoder
        asked = [(text, encoder.encode_query(text, Skill.SINGLE)) for text in questions()]
        process = Process(Path(place), {"models.encoder": "hashed"}, "-e", "wiki")
        try:
            figures |= rounds(given, process.url, encoder, asked)
            figures["server s of a processor"] = process.seconds()
        finally:
            process.ended()
    common.tell(given.json, figures, figures["with"]["requests"])
    return 1 if figures["with"]["failed"] or figures["with"]["over a second longer"] else 0


if __name__ == "__main__":
    sys.exit(main())
