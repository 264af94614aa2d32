"""What the tables that were found say to a question, worked out over all of their rows: an answer, how sure, and why.

All searching is over by then and nothing is sent. The label is that of the hit that found the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.corpora.citations import FindDocument, quoted
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision, below
from answerable.tables.cells import Table
from answerable.tables.ranking import Ranking, Said, shipped
from answerable.tables.wording import reason, written
from answerable.text import asks_for_reasons, asks_to_be_told, is_polar, normalise_answer
from answerable.types import Candidate, Chain, Citation, Document

FEATURES = ("probability", "margin", "looked up", "explained", "rank", "score", "agrees", "read", "rows", "second")
"""What the confidence of a table's answer is made of, in order:
probability: of what is said, by the ranking. margin: to the next. looked up: 1 for cells of rows by conditions alone.
explained: the share of the question's telling words that the program, its columns and the table's title say.
rank: 1 / (1 + rank of the chain that found the table). score: that of its passage.
agrees: 1 where the reader's surest answer is the same. read: how sure that is.
rows: how many, as a logarithm. second: 1 if another table was found before."""
_TABLES = 3
_CITED = 3
"""Rows that are cited of those that an answer rests on."""


@dataclass(frozen=True, slots=True)
class Worked:
    """An answer that a table gives; `confidence` (0 to 1) by its `features`, the rows it rests on, and how it was
    worked out, in a sentence."""

    candidate: Candidate
    confidence: float
    features: tuple[float, ...]
    citations: tuple[Citation, ...]
    note: str

    def weighed(self, decision: Decision, least: float) -> Decision:
        """This answer in place of what was decided, if it is as sure as the `least` that is given."""
        own = self.candidate.text, self.confidence
        others = decision.others if decision.text is None else ((decision.text, decision.confidence), *decision.others)
        read = (self.candidate, *decision.read)
        if self.confidence >= least:
            return Decision(self.candidate.text, None, self.confidence, self.candidate, others, None, read)
        reason = below("best answer found", self.confidence, least)
        return Decision(None, reason, self.confidence, self.candidate, (own, *others), None, read)


@dataclass(frozen=True, slots=True)
class TableReader:
    """Asks whole tables; `find` knows the documents that hits were cut from. `ranking` gives the ranking, when a table
    is first found."""

    find: FindDocument
    calibration: Calibration
    ranking: Callable[[], Ranking] = shipped

    def read(self, question: str, chains: Sequence[Chain], decision: Decision) -> Worked | None:
        """The surest answer of the first few tables found, where it is surer than what was decided without it; None
        without tables, and where a yes, a no or a reason is asked for."""
        best = max(self.every(question, chains, decision), key=lambda one: one.confidence, default=None)
        return best if best and best.confidence > decision.confidence else None

    def every(self, question: str, chains: Sequence[Chain], decision: Decision) -> list[Worked]:
        """The answer of each of the first few tables found."""
        if is_polar(question) or asks_for_reasons(question) or asks_to_be_told(question):
            return []
        said = decision.read[0].text if decision.read else None
        made = (self._worked(question, one, at, said, decision.confidence) for at, one in _found(chains, self.find))
        return [one for one in made if one]

    def _worked(self, question: str, found: _Found, at: int, read: str | None, sure: float) -> Worked | None:
        table, document, chain = found.table, found.document, found.chain
        said = self.ranking().say(question, table, 2)
        if not said:
            return None
        best = said[0]
        text = written(best.program, table)
        agrees = read is not None and normalise_answer(read) == normalise_answer(text)
        features = (
            best.probability,
            best.probability - (said[1].probability if len(said) > 1 else 0.0),
            float(best.program.op == "say" and not best.program.selector.sort),
            1 - len(best.unexplained) / max(1, best.telling),
            1 / (1 + found.rank),
            chain.hits[found.hit].score,
            float(agrees),
            sure,
            math.log10(len(table.rows)),
            float(at > 0),
        )
        start, end = _standing(best, table)
        candidate = Candidate(text, math.log(max(best.probability, 1e-9)), chain, found.hit, start, end)
        rows = [table.places[row] for row in best.rows[:_CITED]]
        citations = tuple(quoted(document, begin, stop) for begin, stop in rows)
        return Worked(candidate, self.calibration.confidence(features), features, citations, reason(best, table))


def table_reader(find: FindDocument) -> TableReader:
    """The one that comes with the package."""
    return TableReader(find, Calibration.load(Path(__file__).with_name("calibration.json")))


@dataclass(frozen=True, slots=True)
class _Found:
    table: Table
    document: Document
    chain: Chain
    hit: int
    rank: int


def _found(chains: Sequence[Chain], find: FindDocument) -> Iterator[tuple[int, _Found]]:
    """The first few tables in which chains have a passage, numbered from 0."""
    seen: set[tuple[str, str]] = set()
    for rank, chain in enumerate(chains):
        for at, hit in enumerate(chain.hits):
            key = hit.passage.enclave, hit.passage.document_id
            if key in seen or len(seen) >= _TABLES:
                continue
            document = find(hit.passage)
            table = Table.of(document) if document else None
            if document and table:
                yield len(seen), _Found(table, document, chain, at, rank)
                seen.add(key)


def _standing(said: Said, table: Table) -> tuple[int, int]:
    """The characters of the first cell that is said, or of the first row that an answer rests on."""
    row = said.rows[0] if said.rows else 0
    cell = table.cells[row][said.program.column] if said.program.op == "say" else (0, 0)
    return cell if cell[1] else table.places[row]
