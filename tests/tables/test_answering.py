from __future__ import annotations

import pytest

from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision
from answerable.tables.answering import FEATURES, TableReader, table_reader
from answerable.tables.ranking import Ranking
from answerable.types import Candidate, Chain, Document, Hit, Passage, Skill
from tests.tables.made import document

SOURCE = document()
OTHER = Document("note", "office", "Salaries", "Salaries are reviewed every May.", "note.md")
NOTHING = Decision(None, "nothing was found", 0.0, None, ())


def chain(of: Document, start: int = 0, end: int | None = None) -> Chain:
    stop = len(of.text) if end is None else end
    passage = Passage(f"{of.id}#0", of.id, of.enclave, of.title, of.text[start:stop], start, stop)
    return Chain((Hit(passage, 0.5, frozenset({"office"}), Skill.SINGLE),), 0.5, frozenset({"office"}))


def find(passage: Passage) -> Document | None:
    return {SOURCE.id: SOURCE, OTHER.id: OTHER}.get(passage.document_id)


READER = table_reader(find)


def test_an_answer_is_worked_out_over_all_rows_of_a_table_that_was_found_by_one() -> None:
    first = chain(SOURCE, 0, SOURCE.text.index("\n"))
    worked = READER.read("average salary of engineers", [chain(OTHER), first], NOTHING)
    assert worked is not None
    assert worked.candidate.text == "$62,500"
    assert worked.candidate.chain is first
    assert len(worked.features) == len(FEATURES)
    assert 0 < worked.confidence < 1
    assert "the mean of Salary, over 3 of 5 rows" in worked.note


def test_the_rows_it_rests_on_are_cited_word_for_word() -> None:
    worked = READER.read("average salary of engineers", [chain(SOURCE)], NOTHING)
    assert worked is not None
    assert [one.text for one in worked.citations] == [
        line for line in SOURCE.text.splitlines() if "Role: engineer" in line
    ]
    assert all(SOURCE.text[one.start : one.end] == one.text for one in worked.citations)


@pytest.mark.parametrize("question", ["Is Ole Berg an engineer?", "Why does Ole Berg earn less?"])
def test_yes_no_and_reasons_are_left_to_others(question: str) -> None:
    assert READER.read(question, [chain(SOURCE)], NOTHING) is None


def test_without_a_table_nothing_is_said() -> None:
    assert READER.read("average salary of engineers", [chain(OTHER)], NOTHING) is None
    assert READER.read("average salary of engineers", [], NOTHING) is None


def test_what_was_surer_without_it_stays() -> None:
    sure = Decision("62", None, 0.999, Candidate("62", 9.0, chain(OTHER), 0, 0, 2), ())
    assert READER.read("average salary of engineers", [chain(SOURCE)], sure) is None


def test_an_answer_takes_the_place_of_what_is_less_sure() -> None:
    always = Calibration((0.0,) * len(FEATURES), 2.0, 0.5)
    reader = TableReader(find, always, lambda: Ranking({}, frozenset()))
    read = Candidate("62", 1.0, chain(OTHER), 0, 0, 2)
    decision = Decision("62", None, 0.6, read, (("7", 0.2),), None, (read,))
    worked = reader.read("average salary of engineers", [chain(SOURCE)], decision)
    assert worked is not None
    given = worked.weighed(decision, 0.5)
    assert (given.text, given.others) == (worked.candidate.text, (("62", 0.6), ("7", 0.2)))
    held = worked.weighed(decision, 0.95)
    assert held.text is None
    assert held.others[0] == (worked.candidate.text, worked.confidence)
    assert held.reason is not None
    assert "below" in held.reason
