"""What asks do when requests to an enclave elsewhere go wrong: every answer is right, or an honest refusal.

    python benchmarks/faults.py [--requests 100000] [--faults 0.01] [--timeout 2] [--threads 8] [--json FILE]

The sample's questions are asked of its public enclave, behind `answerable serve` and a proxy that spoils a share of the
answers (late, dropped, garbage, of the wrong shape, cut off, status 500, twice, that of another request), and of two
private ones here, which hold the sample's private text. In each of these a word is planted where an expanded query
would take it up. One asker reads the first and has no grant. Another, with a proxy of their own, reads both, and has a
standing grant that lets the public enclave be sent what is read in the second. Grants are read from their file for each
ask, as a workspace does, and others are added meanwhile. Searches are by words, so that what is sent can be read.

    wrong         hits that differ from a search of the same index here
    unanswered    searches that were given up after their tries, each of which the asker was told of
    untold        refusals by anything but the flow rule or a failure that the hop names
    private       requests that hold a planted word which was not granted
    granted       requests that hold the one that was
    lost          searches under the grant that were refused by the rule, and grants missing from the file at the end
    unwritten     searches and grants without a line in the journal, or a journal that does not verify

With privacy switched off the word must be found, which shows that it can be. Exit code 1 when one of wrong, untold,
private, lost and unwritten is not 0, or a control finds nothing.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import common
from answerable.chains.beam import BeamSettings, gather
from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.errors import RemoteError
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.audit_log import AuditLog
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.privacy.flow import first_query
from answerable.privacy.grant_file import GrantFile
from answerable.privacy.grants import standing
from answerable.remote.client import RemoteEnclave
from answerable.remote.place import Place, RemoteSettings
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Asker, Hop, Passage, Privacy
from answerable.workspace.workspace import Workspace
from served import Process, questions, sample
from tests.server.proxy import FAULTS, Chooser, Fault, Proxy

WORD, LIFTED = "Zanzibarquux", "Quetzalmarsh"
BEAM = BeamSettings(k=5)
ME, GRANTED = Asker(clearance=frozenset({"wiki", "mail"})), Asker("auditor")
ADD = 500
"""Asks from one added grant to the next."""


class ByWords(ABC):
    """An enclave that is searched by words alone, so that there are no vectors to fetch."""

    @abstractmethod
    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages."""

    @abstractmethod
    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The stored passages with these ids."""

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, Mapping[str, HalfVectors]]:
        """As `search`, without vectors."""
        return self.search(query_text, vector, mode, k), {}


class Known(ByWords):
    """An enclave that works out each ranking once: asks come again, and it is the wire that is tried."""

    def __init__(self, enclave: SearchableEnclave) -> None:
        self.enclave = enclave
        self.held: dict[tuple[str, SearchMode, int], Ranking] = {}
        self.read: dict[str, Passage] = {}

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As the enclave, by words."""
        key = (query_text, mode, k)
        if key not in self.held:
            self.held[key] = self.enclave.search(query_text, vector, mode, k)
        return self.held[key]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Those of the enclave."""
        if missing := [id for id in ids if id not in self.read]:
            self.read.update((passage.id, passage) for passage in self.enclave.passages(missing))
        return [self.read[id] for id in ids if id in self.read]


class Checked(ByWords):
    """A remote enclave whose every answer is held against the same index here."""

    def __init__(self, there: RemoteEnclave, here: SearchableEnclave, counts: Counter[str]) -> None:
        self.there, self.here, self.counts = there, here, counts

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As there; counts what differs from here."""
        self.counts["searches"] += 1
        try:
            ranking = self.there.search(query_text, vector, mode, k)
        except RemoteError:
            self.counts["unanswered"] += 1
            raise
        ids = [id for id, _ in ranking]
        same = ranking == self.here.search(query_text, vector, mode, k)
        self.counts["wrong"] += not (same and self.there.passages(ids) == self.here.passages(ids))
        return ranking

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """As there."""
        return self.there.passages(ids)


class Planted(ByWords):
    """The private text under another name, with a word in every passage."""

    def __init__(self, enclave: SearchableEnclave, name: str, word: str) -> None:
        self.enclave, self.name, self.word = enclave, name, word

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As the enclave."""
        return self.enclave.search(query_text, vector, mode, k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Those of the enclave, with the word in title and text, as a name."""
        return [planted(self.word, passage, self.name) for passage in self.enclave.passages(ids)]


def planted(word: str, passage: Passage, enclave: str) -> Passage:
    """The passage with the word in title and text."""
    title, text = f"{word} {passage.title}", f"{word} {passage.text}"
    return replace(passage, enclave=enclave, title=title, text=text, end=passage.end + len(word) + 1)


class Run:
    """The two askers, their proxies, the enclaves behind them, and what is counted."""

    def __init__(self, workspace: Workspace, url: str, folder: Path, given: argparse.Namespace) -> None:
        self.counts: Counter[str] = Counter()
        self.given = given
        self._chance, self._lock = random.Random(given.seed), threading.Lock()
        self._numbers = itertools.count()
        self._questions = questions()
        self.journal, self.grants = AuditLog(folder / "journal.jsonl"), GrantFile(folder / "grants.json")
        self.table = EnclaveTable([public("wiki"), private("mail"), private("notes")])
        self._began = datetime.now(UTC)
        self._until = self._began + timedelta(hours=12)
        self.grants.add(standing(GRANTED, ["notes"], "wiki", self._began, self._until))
        engine = workspace.engine().retriever
        self._encoder = engine.encoder
        here, mail = Known(engine.indexes["wiki"]), Known(engine.indexes["mail"])
        port = int(url.rsplit(":", 1)[1])
        own = {"mail": Known(Planted(mail, "mail", WORD)), "notes": Known(Planted(mail, "notes", LIFTED))}
        self.proxies: dict[Asker, Proxy] = {}
        self.indexes: dict[Asker, dict[str, SearchableEnclave]] = {}
        settings = RemoteSettings(given.timeout, tries=3)
        for asker in (ME, GRANTED):
            choose = self._chooser(lifted=asker is GRANTED)
            self.proxies[asker] = proxy = Proxy(port, choose, delay=given.timeout + 0.5, keep=False)
            there = RemoteEnclave("wiki", Place(proxy.url), self._encoder, settings)
            self.indexes[asker] = {"wiki": Checked(there, here, self.counts), **own}

    def _chooser(self, lifted: bool) -> Chooser:
        def choose(number: int, request: bytes) -> Fault | None:
            held = LIFTED.encode() in request
            with self._lock:
                self.counts["private"] += WORD.encode() in request or (held and not lifted)
                self.counts["granted"] += held and lifted
                spoilt = self._chance.random() < self.given.faults
                self.counts["faults"] += spoilt
                return self._chance.choice(FAULTS) if spoilt else None

        return choose

    def requests(self) -> int:
        """How many were sent by now."""
        return sum(proxy.count for proxy in self.proxies.values())

    def ask(self, privacy: Privacy = Privacy.DOCUMENT) -> None:
        """The next question, every fourth time by the asker with the grant; count what its hops say."""
        with self._lock:
            number = next(self._numbers)
        asker = ME if number % 4 else GRANTED
        if number % ADD == 1:
            self.grants.add(standing(Asker(f"other{number}"), ["mail"], "wiki", self._began, self._until))
        held = self.grants.all()
        settings = RetrieverSettings("lexical")
        door = Retriever(
            self.table, self.indexes[asker], self._encoder, privacy, settings, self.journal, held, self._began
        )
        text = self._questions[number % len(self._questions)]
        found = gather(first_query(text, asker, privacy, self.table), door, BEAM)
        self.journal.flush()
        with self._lock:
            self.counts["asks"] += 1
            self.counts["added"] = max(self.counts["added"], 1 + len(range(1, number + 1, ADD)))
            for hop in found.hops:
                self._judge(hop, asker)

    def _judge(self, hop: Hop, asker: Asker) -> None:
        self.counts["tried"] += hop.refused is None or hop.unreachable
        self.counts["refused"] += hop.refused is not None
        if hop.refused is None:
            return
        by_rule = hop.refused == hop.reason
        self.counts["untold"] += not (by_rule or hop.unreachable)
        self.counts["lost"] += by_rule and asker is GRANTED and hop.query.label <= {"notes"}

    def unwritten(self) -> int:
        """Searches that are not in the journal; one more when it does not verify."""
        lines = self.journal.shown(Asker(), self.table)
        written: int = sum(line["kind"] == "search" and line["allowed"] and line["enclave"] == "wiki" for line in lines)
        return abs(self.counts["searches"] - written) + (self.journal.verified().broken is not None)

    def until(self, done: int) -> None:
        """Ask until so many requests were sent."""
        while self.requests() < done:
            self.ask()

    def figures(self) -> dict[str, float]:
        """Ask with all threads until enough was sent; what was counted, and what the controls show."""
        began = time.perf_counter()
        with ThreadPoolExecutor(self.given.threads) as pool:
            list(pool.map(self.until, [self.given.requests] * self.given.threads))
        seconds = time.perf_counter() - began
        figures = {"requests": self.requests(), "seconds": seconds, "requests a second": self.requests() / seconds}
        figures["lost"] = self.counts["lost"] + self.counts["added"] - len(self.grants.all())
        figures["unwritten"] = self.unwritten()
        names = ("faults", "asks", "searches", "wrong", "unanswered", "untold", "private", "granted")
        figures |= {name: self.counts[name] for name in names}
        for _ in range(8):
            self.ask(Privacy.NONE)
        figures["private without privacy"] = self.counts["private"] - figures["private"]
        for proxy in self.proxies.values():
            proxy.close()
        return figures


def main(words: list[str] | None = None) -> int:
    """Run and print what was counted."""
    parser = common.parser(__doc__, seed=7)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--faults", type=float, default=0.01)
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds for one try")
    parser.add_argument("--threads", type=int, default=8, help="asks at once")
    given = parser.parse_args(words)
    os.environ["ANSWERABLE_MODELS_ENCODER"] = "hashed"  # no vector is made
    with (
        tempfile.TemporaryDirectory() as place,
        tempfile.TemporaryDirectory() as kept,
        sample(Path(place), None, "wiki", "mail") as small,
    ):
        process = Process(Path(place), {"models.encoder": "hashed"}, "-e", "wiki")
        figures = Run(small, process.url, Path(kept), given).figures()
        process.ended()
    common.tell(given.json, figures)
    bad = any(figures[name] for name in ("wrong", "untold", "private", "lost", "unwritten"))
    return 1 if bad or not figures["granted"] or not figures["private without privacy"] else 0


if __name__ == "__main__":
    sys.exit(main())
