"""What the tables that were found say to a question, worked out over all of their rows: an answer, how sure, and why.

All searching is over by then and nothing is sent. The label is that of the hit that found the table.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answerable.corpora.citations import quoted
from answerable.corpora.values import NUMERALS
from answerable.selective.beside import Case, Decided
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision, decided
from answerable.tables.asked import Asked, asked_again, counted
from answerable.tables.cells import Table, table_in
from answerable.tables.programs import Program, Said
from answerable.tables.ranking import Ranking, shipped
from answerable.tables.wording import reason, written
from answerable.text import (
    asks_for_reasons,
    asks_to_be_told,
    choice,
    chosen,
    count_words,
    is_polar,
    normalise_answer,
)
from answerable.types import Candidate, Chain, Citation, Document

FEATURES = (
    "probability",
    "looked up",
    "explained",
    "score",
    "agrees",
    "rows",
    "second",
    "strange",
    "ignored",
    "narrowed",
)
"""What the confidence of a table's answer is made of, in order:
probability: of what is said, by the ranking. looked up: 1 for cells of rows by conditions alone.
explained: the share of the question's telling words that the program, its columns, each of its rows or the table's
title say, or that speak for it. score: of the passage that found the table. agrees: 1 where the reader's surest answer
is the same. rows: how many, as a logarithm. second: 1 if another table was found before.
strange, ignored: the shares of its telling words that nothing explains and the ranking does not know, and that cells of
the table say and the program leaves out. narrowed: conditions on rows."""
FILES = ("calibration.json", "reading.json")
"""How sure an answer of a table is; and one that was read in it."""
_TABLES = 3
_LONGEST = 30
"""Words of a cell that could be said to a question."""
_AMOUNT = re.compile(r"how (?:many|much)\b", re.IGNORECASE)
_NUMBER = re.compile(rf"\W*(?:[a-z]+\W+){{0,3}}(?:[A-Z]{{0,3}}\W*\d|(?i:{'|'.join(NUMERALS)})\b)")
"""How a cell begins that is an amount: "GBP 40", "about 40"; "Otter 2" is a name."""
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

    def weighed(self, decision: Decision, least: float, rest: str = "") -> Decision:
        """This answer in place of what was decided, if it is as sure as the `least` that is given."""
        others = decision.others if decision.text is None else ((decision.text, decision.confidence), *decision.others)
        own = normalise_answer(self.candidate.text)
        others = tuple((text, sure) for text, sure in others if normalise_answer(text) != own)
        read = (self.candidate, *(one for one in decision.read if normalise_answer(one.text) != own))
        return decided(self.candidate, self.confidence, others, read, least, rest, "answer worked out from a table")


@dataclass(frozen=True, slots=True)
class AskedTable:
    """A table in which a chain has a passage, its `hit`, and what it says, likeliest first."""

    table: Table
    document: Document
    chain: Chain
    hit: int
    said: Sequence[Said] = ()


@dataclass(frozen=True, slots=True)
class TableReader:
    """Asks whole tables. `calibration` tells how sure an answer of theirs is, `reading` how sure one is that was read
    in one of their rows. `ranking` gives the ranking, when a table is first found."""

    calibration: Calibration
    reading: Calibration
    ranking: Callable[[], Ranking] = shipped

    def weigh(self, case: Case, settled: Decided) -> Decided:
        """What is settled with the tables that were found: the surest answer of theirs, where it is surer than what was
        settled without, which is less sure where it was read in a table that says otherwise."""
        least, asked = case.least(None), self.asked(case)
        worked = [one for one in self.every(asked, settled.decision) if case.allowed(one.candidate)]
        decision = self._tempered(settled.decision, asked, least, case.rest)
        best = max(worked, key=lambda one: one.confidence, default=None)
        if best is None or best.confidence <= decision.confidence:
            return replace(settled, decision=decision)
        decision = best.weighed(decision, max(least, case.least(self.calibration)), case.rest)
        if decision.text is None:
            return replace(settled, decision=decision)
        return Decided(decision, best.citations, (*settled.notes, best.note), "table")

    def asked(self, case: Case) -> list[AskedTable]:
        """The first few tables found with what they say; none where a yes, a no or a reason is asked for. A cell of
        yes or no answers no other question, one without a number none of how many or how much, and where one of two
        things is wanted, nothing else does."""
        question = case.question
        if is_polar(question) or asks_for_reasons(question) or asks_to_be_told(question):
            return []
        told = (
            (one, self.ranking().say((case.again and asked_again(*case.again, one.table)) or question, one.table))
            for one in _found(case)
        )
        offered, amount = choice(question), _AMOUNT.match(question.strip()) is not None
        return [
            replace(one, said=[it for it in said if not _flagged(it, one.table) and _fits(it, offered, amount)])
            for one, said in told
        ]

    def every(self, asked: Sequence[AskedTable], decision: Decision) -> list[Worked]:
        """The likeliest answer of each table, but for how many rows there are where another one tells quantities;
        `decision` is what was decided without them."""
        said = decision.read[0].text if decision.read else None
        told = any(map(_tells_quantities, asked))
        left = [one for one in asked if not (told and one.said and _counts_rows(one.said[0].program))]
        return [_worked(one, at, said, self.calibration) for at, one in enumerate(left) if one.said]

    def _tempered(self, decision: Decision, asked: Sequence[AskedTable], least: float, rest: str) -> Decision:
        """The decision among all answers that were read, those in tables no surer than these let them be."""
        told = [sure for _, sure in decision.others]
        told = told if decision.text is None else [decision.confidence, *told]
        features = [agreement(one, sure, asked) for one, sure in zip(decision.read, told, strict=False)]
        if not any(features):
            return decision
        sure = [
            min(old, self.reading.confidence(one)) if one else old for one, old in zip(features, told, strict=False)
        ]
        order = sorted(range(len(sure)), key=lambda at: -sure[at])
        read = tuple(decision.read[at] for at in order)
        others = tuple((decision.read[at].text, sure[at]) for at in order[1:])
        made = decided(read[0], sure[order[0]], others, read, least, rest)
        return replace(made, best=None if order[0] else decision.best)


def _tells_quantities(one: AskedTable) -> bool:
    """Whether what a table says the likeliest is of the column by which it tells how many."""
    by = counted(Asked.of(" ".join(one.said[0].words)), one.table) if one.said else None
    return by is not None and by[0] == one.said[0].program.column


def _counts_rows(program: Program) -> bool:
    return program.op == "count" and program.column < 0


def _flagged(said: Said, table: Table) -> bool:
    return said.program.op == "say" and table.shapes[said.program.column] == "flag"


def _fits(said: Said, offered: tuple[str, str] | None, amount: bool) -> bool:
    values = said.program.values
    if isinstance(values, float):
        return offered is None
    numbers = not amount or all(_NUMBER.match(value) for value in values)
    return numbers and (offered is None or all(chosen(value, offered) for value in values))


def agreement(answer: Candidate, sure: float, asked: Sequence[AskedTable]) -> tuple[float, float] | None:
    """How `sure` an answer is that was read, as log-odds, and the logarithm of how likely the table that it stands in
    says it; None where it stands in none that was asked, or in a cell of prose."""
    passage = answer.chain.hits[answer.hit].passage
    key, text = (passage.enclave, passage.document_id), f" {normalise_answer(answer.text)} "
    for one in asked:
        places = one.table.places
        if (one.document.enclave, one.document.id) == key and places[0][0] <= answer.start < places[-1][1]:
            if _in_prose(answer, one.table):
                return None
            said = ((f" {normalise_answer(written(it.program, one.table))} ", it.probability) for it in one.said)
            same = math.fsum(probability for other, probability in said if text in other)
            odds = min(max(sure, 1e-6), 1 - 1e-6)
            return math.log(odds / (1 - odds)), math.log(same + 0.01)
    return None


def _in_prose(answer: Candidate, table: Table) -> bool:
    """Whether an answer stands in a cell that is longer than any answer: programs say cells as a whole."""
    row = bisect_right(table.places, (answer.start, math.inf)) - 1
    return any(
        start <= answer.start < end and count_words(cell) > _LONGEST
        for cell, (start, end) in zip(table.rows[row], table.cells[row], strict=True)
    )


def _worked(one: AskedTable, at: int, read: str | None, calibration: Calibration) -> Worked:
    table, best = one.table, one.said[0]
    text = written(best.program, table)
    agrees = read is not None and normalise_answer(read) == normalise_answer(text)
    telling = max(1, best.telling)
    features = (
        best.probability,
        float(best.program.op == "say" and not best.program.selector.sort),
        1 - len(best.unexplained) / telling,
        one.chain.hits[one.hit].score,
        float(agrees),
        math.log10(len(table.rows)),
        float(at > 0),
        len(best.strange) / telling,
        len(best.ignored) / telling,
        float(len(best.program.selector.conditions)),
    )
    candidate = Candidate(text, math.log(max(best.probability, 1e-9)), one.chain, one.hit, *_standing(best, table))
    rows = [table.places[row] for row in best.rows[:_CITED]]
    citations = tuple(quoted(one.document, begin, stop) for begin, stop in rows)
    return Worked(candidate, calibration.confidence(features), features, citations, reason(best, table))


def table_reader() -> TableReader:
    """The one that comes with the package."""
    calibration, reading = (Calibration.load(Path(__file__).with_name(name)) for name in FILES)
    return TableReader(calibration, reading)


def _found(case: Case) -> Iterator[AskedTable]:
    """The first few tables in which chains have a passage; one of a single row is read like any text."""
    met, found = set[tuple[str, str, int]](), 0
    for chain in case.chains:
        for at, hit in enumerate(chain.hits):
            if found == _TABLES:
                return
            passage = hit.passage
            key, document = (passage.enclave, passage.document_id), case.find(passage)
            place = table_in(document, passage.start, passage.end) if document else None
            if document is None or place is None or (*key, place.start) in met:
                continue
            met.add((*key, place.start))
            if (table := Table.read(document.text, place)) and len(table.rows) > 1:
                found += 1
                yield AskedTable(table, document, chain, at)


def _standing(said: Said, table: Table) -> tuple[int, int]:
    """The characters of the first cell that is said, or of the first row that an answer rests on."""
    row = said.rows[0] if said.rows else 0
    cell = table.cells[row][said.program.column] if said.program.op == "say" else (0, 0)
    return cell if cell[1] else table.places[row]
