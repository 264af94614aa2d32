from __future__ import annotations

import csv
import math
from dataclasses import replace

import pytest

from answerable.corpora.outline import Draft
from answerable.selective.beside import Case, Decided
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision
from answerable.tables.answering import FEATURES, AskedTable, TableReader, agreement, table_reader
from answerable.tables.cells import Table
from answerable.tables.ranking import Ranking
from answerable.types import Candidate, Chain, Document, Hit, Passage, Skill
from tests.tables.made import SALARIES, document

SOURCE = document()
OTHER = Document("note", "office", "Salaries", "Salaries are reviewed every May.", "note.md")
NOTHING = Decision(None, "nothing was found", 0.0, None, ())


def chain(of: Document, start: int = 0, end: int | None = None) -> Chain:
    stop = len(of.text) if end is None else end
    passage = Passage(f"{of.id}#0", of.id, of.enclave, of.title, of.text[start:stop], start, stop)
    return Chain((Hit(passage, 0.5, frozenset({"office"}), Skill.SINGLE),), 0.5, frozenset({"office"}))


def find(passage: Passage) -> Document | None:
    return page() if passage.document_id == "page" else {SOURCE.id: SOURCE, OTHER.id: OTHER}.get(passage.document_id)


READER = table_reader()


def weigh(
    reader: TableReader,
    question: str,
    chains: list[Chain],
    decision: Decision = NOTHING,
    least: float = 0.5,
    own: float = 0.0,
    rest: str = "",
    allowed: bool = True,
) -> Decided:
    case = Case(question, chains, find, lambda by: own if by else least, lambda _: allowed, rest)
    return reader.weigh(case, Decided(decision))


def asked_of(question: str, *chains: Chain) -> list[AskedTable]:
    return READER.asked(Case(question, chains, find, lambda _: 0.5))


def worked(question: str, chains: list[Chain], reader: TableReader = READER) -> Decided | None:
    """What tables say that is surer."""
    settled = weigh(reader, question, chains)
    return settled if settled.via == "table" else None


def test_an_answer_is_worked_out_over_all_rows_of_a_table_that_was_found_by_one() -> None:
    first = chain(SOURCE, 0, SOURCE.text.index("\n"))
    found = worked("average salary of engineers", [chain(OTHER), first])
    assert found is not None
    assert found.decision.candidate is not None
    assert found.decision.text == found.decision.candidate.text == "$62,500"
    assert found.decision.candidate.chain is first
    assert 0 < found.decision.confidence < 1
    assert "the mean of Salary, over 3 of 5 rows" in found.notes[0]
    (one,) = READER.every(asked_of("average salary of engineers", first), NOTHING)
    assert len(one.features) == len(FEATURES)


def test_the_rows_it_rests_on_are_cited_word_for_word() -> None:
    found = worked("average salary of engineers", [chain(SOURCE)])
    assert found is not None
    assert [one.text for one in found.citations] == [
        line for line in SOURCE.text.splitlines() if "Role: engineer" in line
    ]
    assert all(SOURCE.text[one.start : one.end] == one.text for one in found.citations)


def page() -> Document:
    """A page with the table below a heading, and one of rooms further down."""
    rows = [*csv.reader(SALARIES.strip().split("\n"))]
    draft = Draft()
    draft.block("The firm was founded by engineers in 1951.")
    draft.heading("Salaries", 1)
    draft.table(rows)
    draft.heading("Rooms", 1)
    draft.table([["Room", "Floor"], ["Attic", "4"], ["Cellar", "0"]])
    text, sections, known = draft.finish()
    return Document("page", "office", "The firm", text, "page.html", "html", sections, known)


def test_a_table_of_a_page_is_worked_out_where_a_passage_of_its_rows_was_found() -> None:
    held = page()
    place = held.text.index("\n", held.text.index("Salaries"))
    above, row = chain(held, 0, place), chain(held, place + 2, place + 40)
    assert worked("average salary of engineers", [above]) is None
    found = worked("average salary of engineers", [above, row])
    same = worked("average salary of engineers", [chain(SOURCE)])
    assert found is not None and same is not None
    assert found.decision.text == same.decision.text and "table “The firm, Salaries”" in found.notes[0]
    assert all(held.text[one.start : one.end] == one.text for one in found.citations)
    asked = asked_of("which floor is the cellar on", chain(held, held.text.index("Room: Attic")))
    assert [one.table.header for one in asked] == [("Room", "Floor")]


def test_what_a_page_says_beside_a_table_is_not_held_against_the_table() -> None:
    held = page()
    (asked,) = asked_of("average salary of engineers", chain(held, held.text.index("Salaries") + 12))[:1]
    start = held.text.index("1951")
    beside = Candidate("1951", 2.0, chain(held), 0, start, start + 4)
    assert agreement(beside, 0.9, [asked]) is None
    start = asked.table.places[0][0]
    assert agreement(replace(beside, start=start, end=start + 4), 0.9, [asked]) is not None


@pytest.mark.parametrize("question", ["Is Ole Berg an engineer?", "Why does Ole Berg earn less?"])
def test_yes_no_and_reasons_are_left_to_others(question: str) -> None:
    assert worked(question, [chain(SOURCE)]) is None


def test_a_cell_of_yes_or_no_answers_nothing_else() -> None:
    (asked,) = asked_of("what is the remote of Ole Berg", chain(SOURCE))
    named = READER.ranking().say("what is the remote of Ole Berg", asked.table)
    assert ("no",) in [one.program.values for one in named]
    assert ("no",) not in [one.program.values for one in asked.said]


def test_where_one_of_two_things_is_wanted_nothing_else_is_said() -> None:
    two = ("Ole Berg", "Ana Ruiz")
    (asked,) = asked_of("Who earns more, Ole Berg or Ana Ruiz?", chain(SOURCE))
    assert {one.program.values for one in asked.said} <= {(one,) for one in two} | {two, two[::-1]}


def test_without_a_table_nothing_is_said() -> None:
    assert worked("average salary of engineers", [chain(OTHER)]) is None
    assert worked("average salary of engineers", []) is None


def test_what_was_surer_without_it_stays() -> None:
    sure = Decision("62", None, 0.999, Candidate("62", 9.0, chain(OTHER), 0, 0, 2), ())
    assert weigh(READER, "average salary of engineers", [chain(SOURCE)], sure) == Decided(sure)


ALWAYS = Calibration((0.0,) * len(FEATURES), 2.0, 0.5)
AS_READ = Calibration((1.0, 1.0), math.log(100), 0.5)
"""What the table does not say at all counts as it was read."""


def reader(calibration: Calibration = ALWAYS) -> TableReader:
    return TableReader(calibration, AS_READ, lambda: Ranking({}, frozenset()))


def test_an_answer_takes_the_place_of_what_is_less_sure() -> None:
    read = Candidate("62", 1.0, chain(OTHER), 0, 0, 2)
    decision = Decision("62", None, 0.6, read, (("7", 0.2),), None, (read,))
    asked = (reader(), "average salary of engineers", [chain(SOURCE)])
    settled = weigh(*asked, decision)
    given = settled.decision
    assert given.text is not None and settled.via == "table"
    assert given.others == (("62", 0.6), ("7", 0.2))
    same = replace(decision, others=((given.text, 0.1), ("7", 0.2)))
    assert weigh(*asked, same).decision.others == given.others
    kept = weigh(*asked, decision, own=0.95)
    assert kept.decision.text is None and kept.decision.others[0] == (given.text, given.confidence)
    assert (kept.via, kept.citations, kept.notes) == ("search", (), ())
    held = weigh(*asked, decision, 0.95, rest="; wiki was not asked").decision
    assert held.text is None
    assert held.others[0] == (given.text, given.confidence)
    assert held.reason is not None
    assert held.reason.startswith("the best answer worked out from a table has confidence ")
    assert held.reason.endswith("below the threshold 0.95; wiki was not asked")


def test_an_answer_that_is_not_allowed_is_none() -> None:
    assert weigh(reader(), "average salary", [chain(SOURCE)], allowed=False) == Decided(NOTHING)


def test_what_was_read_in_a_table_is_as_sure_as_the_whole_table_lets_it_be() -> None:
    never = Calibration((0.0,) * len(FEATURES), -30.0, 0.5)
    where = SOURCE.text.index("$58,000")
    cell = Candidate("$58,000", 3.0, chain(SOURCE), 0, where, where + 7)
    note = Candidate("May", 1.0, chain(OTHER), 0, 29, 32)
    decision = Decision("$58,000", None, 0.8, cell, (("May", 0.3),), None, (cell, note))
    agrees = weigh(reader(never), "salary of Ines Falk", [chain(SOURCE)], decision).decision
    assert (agrees.text, agrees.confidence) == ("$58,000", 0.8), "no surer than it was read"
    strict = replace(reader(never), reading=Calibration((1.0, 5.0), 0.0, 0.5))
    differs = weigh(strict, "who is the head of design", [chain(SOURCE)], decision).decision
    assert differs.text is None
    assert differs.others[0] == ("May", 0.3), "the others keep their places"
    assert differs.others[1][1] < 0.01


def test_a_question_asks_again_of_another_thing_in_the_same_column() -> None:
    base = "What does Ana Ruiz earn?"
    case = Case(f"And Ole Berg? {base} $62,000", [chain(SOURCE)], find, lambda _: 0.5, again=("Ole Berg", base))
    found = READER.weigh(case, Decided(NOTHING))
    assert found.decision.text == "$48,250" == weigh(READER, "What does Ole Berg earn?", [chain(SOURCE)]).decision.text


def test_what_was_read_in_a_cell_of_prose_is_as_sure_as_without_the_table() -> None:
    said = " ".join(["The left earbud is loose within."] * 8)
    reviews = document(f'Product,Review\nheadphones,"{said}"\ncard,"It is fast."\n', "reviews.csv")
    table = Table.of(reviews)
    assert table is not None
    (one,) = [AskedTable(table, reviews, chain(reviews), 0)]
    loose, fast = (
        Candidate(text, 1.0, chain(reviews), 0, at, at + len(text))
        for text in ("loose", "fast")
        for at in [reviews.text.index(text)]
    )
    assert agreement(loose, 0.9, [one]) is None and agreement(fast, 0.9, [one]) is not None


@pytest.mark.parametrize(
    ("cell", "told"), [("GBP 40", True), ("up to 3", True), ("Four", True), ("Otter 2", False), ("red", False)]
)
def test_how_much_is_told_by_amounts(cell: str, told: bool) -> None:
    boats = document(f"Boat,Price\nHeron,{cell}\nKestrel,5\n", "boats.csv")
    case = Case("How much is Heron?", [chain(boats)], lambda _: boats, lambda _: 0.5)
    (one,) = READER.asked(case)
    assert ((cell,) in [said.program.values for said in one.said]) is told


def test_how_much_is_told_by_no_cell_without_a_number() -> None:
    (one,) = asked_of("How much did the new engineer cost?", chain(SOURCE))
    values = [said.program.values for said in one.said]
    assert ("$58,000",) in values and ("Ines Falk",) not in values
    (one,) = asked_of("Who is the new engineer?", chain(SOURCE))
    assert ("Ines Falk",) in [said.program.values for said in one.said]


def test_rows_are_counted_by_no_table_where_another_one_tells_quantities() -> None:
    stock = Table("stock", ("Item", "Qty"), (("Flare", "32"), ("Lamp", "4")), ((0, 5), (6, 10)), (((0, 0),) * 2,) * 2)
    makers = Table("makers", ("Maker", "Makes"), (("Kim", "Flare"), ("Bo", "Rope")), stock.places, stock.cells)
    found = [AskedTable(one, SOURCE, chain(SOURCE), 0) for one in (makers, stock)]
    said = [replace(one, said=READER.ranking().say("how many flares do we have", one.table)) for one in found]
    assert [one.candidate.text for one in READER.every(said, NOTHING)] == ["32"]
    assert len(READER.every(said[:1], NOTHING)) == 1


def test_a_table_of_a_single_row_is_read_like_any_text() -> None:
    rows = SALARIES.splitlines(keepends=True)
    one, two = (document("".join(rows[:count])) for count in (2, 3))
    for source, tables in ((one, 0), (two, 1)):
        case = Case("how many engineers", [chain(source)], lambda _, held=source: held, lambda _: 0.5)  # type: ignore[misc]
        assert len(READER.asked(case)) == tables
