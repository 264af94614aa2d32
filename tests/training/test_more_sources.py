"""Further sources of a reader, each on a few records in the form of its data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answerable.datasets.parts import share
from answerable.errors import UsageError
from answerable.training.reading import NO, NONE, SPAN, YES, Reading
from answerable.training.sources import HELD, READERS, load_source
from tests.training.files import write_lines

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(name: str, *rows: Any) -> None:
        write_lines(tmp_path / name, rows)

    return made


def said(reading: Reading) -> str:
    """The characters that a reading's answer points at."""
    which, start, end = reading.answer or (0, 0, 0)
    return reading.passages[which][1][start:end]


def asked(id: str, text: str, answer: str, **more: object) -> dict[str, object]:
    answers = [{"text": answer, "answer_start": text.index(answer)}]
    return {"id": id, "question": f"{id}?", "answers": answers, **more}


def test_more_of_squad_has_no_titles_and_only_what_was_surely_placed(write: Write, tmp_path: Path) -> None:
    text = "Alan Stevenson built Skerryvore."
    write(
        "squad/squad-train-more.json.gz",
        {"data": [{"paragraphs": [{"context": text, "qas": [asked("a", text, "Alan Stevenson")]}]}]},
    )
    placed = [asked("sure", text, "Skerryvore", score=0.9), asked("unsure", text, "Skerryvore", score=0.2)]
    gold = [asked("gold", text, "Skerryvore", score=0.9)]
    paragraphs = [{"context": text, "qas": placed, "dev_gold": False}, {"context": text, "qas": gold, "dev_gold": True}]
    write("squad/squad-train-matched.json.gz", {"data": [{"title": "Tiree", "paragraphs": paragraphs}]})
    found = load_source("squad-more", tmp_path, {}, "train")
    assert [(one.id, one.passages[0][0], said(one)) for one in found] == [
        ("a", "", "Alan Stevenson"),
        ("sure", "Tiree", "Skerryvore"),
    ]
    assert load_source("squad-more", tmp_path, {}, "report") == []


def test_questions_over_one_sentence(write: Write, tmp_path: Path) -> None:
    sentence = "The lamp burns oil."
    answer = {"text": "oil", "answer_start": sentence.index("oil")}
    moved = {"text": "oil", "answer_start": 0}
    rows = [{"question": "What?", "sentence": sentence, "answer": one} for one in (answer, moved, None)]
    write("squad/squad-train-sentences.jsonl.gz", *rows)
    (one,) = load_source("squad-sentences", tmp_path, {}, "train")
    assert (said(one), one.id, one.passages) == ("oil", "sentence-0", (("", sentence),))


def test_questions_on_negation_are_of_four_kinds_and_parts_share_no_passage(write: Write, tmp_path: Path) -> None:
    rows = [
        {"passage": "The lamp was never lit.", "passage_id": number, "question": "q", "answer": answer}
        for number in range(40)
        for answer in ("YES", "NO", "DON'T KNOW", "never lit", "not there")
    ]
    write("condaqa/condaqa.jsonl.gz", *rows)
    learned, kept = load_source("condaqa", tmp_path, {}, "train"), load_source("condaqa", tmp_path, {}, "report")
    held = sum(share(f"condaqa-{number}") < HELD for number in range(40))
    assert (len(learned), len(kept)) == (4 * (40 - held), 4 * held) and 0 < held < 20
    assert [(one.kind, one.answers) for one in learned[:4]] == [
        (YES, ("yes",)), (NO, ("no",)), (NONE, ()), (SPAN, ("never lit",)),
    ]  # fmt: skip
    assert said(learned[3]) == "never lit"


def test_claims_are_yes_or_no_and_parts_share_no_page(write: Write, tmp_path: Path) -> None:
    rows = [
        {"_id": f"{n}{label}", "page": f"Page {n}", "claim": "It is lit.", "label": label, "evidence": ["It", "is."]}
        for n in range(40)
        for label in ("SUPPORTS", "REFUTES")
    ]
    write("fool-me-twice/fm2.jsonl.gz", *rows)
    learned, kept = load_source("fm2", tmp_path, {}, "train"), load_source("fm2", tmp_path, {}, "development")
    assert len(learned) + len(kept) == 80 and {one.passages[0][0] for one in learned}.isdisjoint(
        one.passages[0][0] for one in kept
    )
    assert [one.kind for one in learned[:2]] == [YES, NO] and learned[0].question == "Is it true that It is lit?"
    assert learned[0].passages[0][1] == "It is."


def test_a_question_that_one_cell_answers_points_into_that_cell(write: Write, tmp_path: Path) -> None:
    rows = [["1844", "Skerryvore"], ["1811", "Bell Rock"], ["1811", "1811"]]
    write(
        "wikitablequestions/tables.jsonl.gz", {"_id": "t", "title": "Towers", "header": ["Year", "Name"], "rows": rows}
    )
    base = {"table": "t", "split": "train", "answers": ["1811"], "answer_cells": [[1, 0]]}
    asked = [
        base | {"_id": "a", "question": "when was the bell rock built?"},
        base | {"_id": "b", "question": "when was it", "split": "test"},
        base | {"_id": "c", "question": "how many were built in 1811?"},
        base | {"_id": "d", "question": "which years", "answers": ["1811", "1844"]},
        base | {"_id": "e", "question": "when", "answer_cells": [[9, 0]]},
        base | {"_id": "f", "question": "which other", "answer_cells": [[2, 1]]},
    ]
    write("wikitablequestions/questions.jsonl.gz", *asked)
    write("sqa/questions.jsonl.gz", base | {"_id": "g", "question": "and then?", "position": 1})
    tall = [["", "Height"], ["Bell Rock", 36.0], ["Skerryvore", 48.0]]
    write("hitab/tables.jsonl.gz", {"_id": "h", "title": "Heights", "rows": tall})
    high = {"_id": "i", "table": "h", "split": "train", "question": "how high is skerryvore", "answers": [48.0]}
    high |= {"aggregation": ["none"], "answer_cells": [[2, 1]]}
    write("hitab/questions.jsonl.gz", high, high | {"_id": "j", "aggregation": ["sum"]})
    found = {one.id: one for one in load_source("lookups", tmp_path, {}, "train")}
    assert set(found) == {"a", "f", "i"} and [one.id for one in load_source("lookups", tmp_path, {}, "report")] == ["b"]
    assert found["a"].passages == (
        ("Towers", "Year: 1844; Name: Skerryvore\nYear: 1811; Name: Bell Rock\nYear: 1811; Name: 1811"),
    )
    text = found["a"].passages[0][1]
    assert found["a"].answer == (0, text.index("1811"), text.index("1811") + 4)
    assert found["f"].answer == (0, len(text) - 4, len(text)) and found["f"].question == "which other?"
    assert said(found["i"]) == "48" and found["i"].passages[0][1].endswith("Height: 48.0")


def wiki(write: Write) -> None:
    """Two pages, and a table whose cells link to them."""
    pages = [("/wiki/Bell", "Bell Rock", "It was built by Robert Stevenson."), ("/wiki/Tiree", "Tiree", "An island.")]
    write("wiki/passages.jsonl.gz", *({"_id": i, "title": title, "text": text} for i, title, text in pages))
    cells = [[{"text": "Bell Rock", "links": ["/wiki/Bell"]}, {"text": "1811", "links": []}]]
    table = {"_id": "t", "title": "List of towers", "section": "Scotland", "intro": ""}
    write("wiki/tables.jsonl.gz", table | {"header": ["Name", "Year"], "rows": cells})


def test_a_table_question_reads_the_row_and_the_page_its_cell_links_to(write: Write, tmp_path: Path) -> None:
    wiki(write)
    for name in ("ottqa", "hybridqa"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "questions.jsonl").write_text("")
    there = {"row": 0, "column": 1, "passage": None, "where": "table"}
    linked = {"row": 0, "column": 0, "passage": "/wiki/Bell", "where": "passage"}
    base = {"question": "q?", "table": "t", "dev_table": False, "n_evidence": 1}
    rows = [
        base | {"_id": "a", "answer": "1811", "evidence": [there]},
        base | {"_id": "b", "answer": "Robert Stevenson", "evidence": [linked]},
        base | {"_id": "c", "answer": "1811", "evidence": [there], "dev_table": True},
        base | {"_id": "d", "answer": "1811", "evidence": [there, linked], "n_evidence": 2},
        base | {"_id": "e", "answer": "1811", "evidence": [linked | {"passage": "/wiki/gone"}]},
        base | {"_id": "f", "answer": "1844", "evidence": [there]},
    ]
    write("ottqa/collection.jsonl.gz", *rows)
    first, second = load_source("ottqa", tmp_path, {}, "train")
    assert first.passages == (("List of towers, Scotland", "Name: Bell Rock; Year: 1811"),) and said(first) == "1811"
    assert second.passages == (*first.passages, ("Bell Rock", "It was built by Robert Stevenson."))
    assert said(second) == "Robert Stevenson" and second.answer is not None and second.answer[0] == 1


@pytest.mark.parametrize("name", sorted(READERS))
def test_what_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot open"):
        load_source(name, tmp_path, {}, "train")
