"""Several asks in a row: what an enclave is sent, and what an asker of lower clearance is told, over all of them.

A trial of one ask cannot show what is remembered from one ask to the next, nor what an error tells. So a session is
asked twice as well, with other hidden text, and everything that may be seen without clearance for that text is kept.
"""

from __future__ import annotations

import logging
import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.errors import AnswerableError, RemoteError
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.trace import records
from answerable.types import UNREACHABLE, Asker, Evidence, Passage, Privacy
from tests.laws.worlds import TABLES, Gather, MemoryEnclave, Sent, Trial, draw, hidden_from, some_text

SESSION_TABLES = (
    *TABLES,
    EnclaveTable([public("wiki"), mirror("copy"), private("mail", admits=[]), private("clinic", admits=[])]),
)
"""One more: a mirror that is asked for two hosts which must not learn of each other."""

LONG = 24
"""Characters, some six words: a question is seldom longer, one that quotes what was read often is."""
Make = Callable[[], Gather]
"""Makes what gathers for one session, so that it can remember from one ask to the next."""


@dataclass
class Choking:
    """An enclave that cannot answer some of the longer searches; which, is settled by what it is sent alone."""

    enclave: SearchableEnclave
    name: str
    percent: int

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        found = self.enclave.search(query_text, vector, mode, k)
        self._choke(query_text, vector)
        return found

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, Mapping[str, HalfVectors]]:
        found = self.enclave.fetch(query_text, vector, mode, k)
        self._choke(query_text, vector)
        return found

    def _choke(self, query_text: str, vector: Vectors | None) -> None:
        sent = query_text.encode() + (b"" if vector is None else vector.tobytes())
        if len(query_text) > LONG and zlib.crc32(sent) % 100 < self.percent:
            raise RemoteError(f"{self.name} {UNREACHABLE}: its server refuses to answer (status 500)")

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return self.enclave.passages(ids)


@dataclass(frozen=True)
class Told:
    """What one run of a session told: the observed enclave, by what it was sent; the guest, by all they may look at."""

    enclave: tuple[Any, ...]
    guest: tuple[Any, ...]


@dataclass(frozen=True)
class Session:
    """Questions asked one after the other, by the trial's asker and by a guest who may read nothing hidden.

    `choking`: of a hundred different long searches, how many an enclave cannot answer.
    """

    trial: Trial
    asks: tuple[tuple[str, Asker, Privacy], ...]
    guest: Asker
    choking: int

    def told(self, make: Make) -> tuple[Told, Told]:
        """What the two runs tell."""
        first, second = (self._run(make(), which) for which in (0, 1))
        return first, second

    def _run(self, gather: Gather, which: int) -> Told:
        log: list[tuple[str, Sent]] = []
        stored = {name: MemoryEnclave(name, held, log) for name, held in self.trial.corpora[which].items()}
        guest = self.run(gather, {name: Choking(one, name, self.choking) for name, one in stored.items()})
        return Told(tuple(sent for name, sent in log if name == self.trial.observer), guest)

    def run(self, gather: Gather, indexes: Mapping[str, SearchableEnclave]) -> tuple[Any, ...]:
        """Ask all of it of these enclaves; what the guest is told.

        That is all of their own asks, the traces of the others as a guest is shown them, errors, and the log.
        """
        told: list[Any] = []
        with listening() as lines:
            for question, asker, privacy in self.asks:
                trial = replace(self.trial, question=question, asker=asker, privacy=privacy)
                try:
                    evidence = trial.ask(gather, indexes)
                except AnswerableError as error:
                    told.append(str(error))
                else:
                    told.append(self._shown(evidence, asker == self.guest))
        return (*told, *lines)

    def _shown(self, evidence: Evidence, own: bool) -> Any:
        hops = records(evidence.hops, self.guest, self.trial.table)
        trace = [{key: value for key, value in hop.items() if key != "seconds"} for hop in hops]
        return trace, evidence.chains if own else ()


@contextmanager
def listening() -> Iterator[list[str]]:
    """Every line that is logged, by whomever."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    root, ours = logging.getLogger(), logging.getLogger("answerable")
    before = ours.level
    root.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        ours.setLevel(before)


def draw_session(rng: random.Random, tables: Sequence[EnclaveTable] = SESSION_TABLES) -> Session:
    """Three or four asks of at most two questions, so that questions come again; a third of them are the guest's.

    Privacy is `NONE` for the guest now and then: what they may not read must not reach them under any mode.
    """
    trial = draw(rng, tables, sparse=rng.random() < 0.7)
    trial = replace(trial, beam=replace(trial.beam, hops=max(2, trial.beam.hops)))
    hidden = hidden_from(trial.table[trial.observer], trial.table)
    guest = Asker("guest", frozenset(trial.table) - hidden)
    other = some_text(rng, 1, 6)
    asks = []
    for _ in range(rng.randint(3, 4)):
        asker = guest if rng.random() < 0.35 else trial.asker
        modes = (trial.privacy, trial.privacy, Privacy.NONE) if asker == guest else (trial.privacy,)
        asks.append((rng.choice((trial.question, trial.question, other)), asker, rng.choice(modes)))
    return Session(trial, tuple(asks), guest, rng.choice((0, 30, 60)))
