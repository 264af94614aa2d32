"""benchmarks/polarity/sealed.jsonl keeps to its form, and its passages are found again in the data sets."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from answerable.errors import FormatError
from polarity import read_cases
from polarity_passages import read_sealed, with_passages

FORM = {
    "id": str, "source": str, "title": str, "place": dict, "question": str, "answer": str, "asked": str, "same": bool,
    "kind": str,
}  # fmt: skip
KINDS = {
    True: {"wording", "keywords", "chatty", "typo", "passive", "definition"},
    False: {
        "name", "number", "date", "place", "predicate", "polarity", "negation", "superlative", "ordinal", "role",
        "scope", "type", "unanswered",
    },
}  # fmt: skip
TEXT = "The old mill was built by Edith Lorne. It burnt down in 1904."


def case(source: str, id_: str, start: int, end: int, answer: str) -> dict[str, Any]:
    return {"id": "c", "source": source, "place": {"id": id_, "start": start, "end": end}, "answer": answer}


def test_each_case_keeps_to_the_form() -> None:
    for one in read_sealed():
        assert {name: type(value) for name, value in one.items()} == FORM, one["id"]
        assert set(one["place"]) == {"id", "start", "end"} and one["place"]["start"] < one["place"]["end"], one["id"]
        assert one["kind"] in KINDS[one["same"]], one["id"]
        assert all(one[name] == one[name].strip() != "" for name in ("question", "answer", "asked")), one["id"]
        assert len(one["answer"].split()) <= 25, f"{one['id']}: an answer is a span, not a text"


def test_no_case_comes_twice_or_is_of_the_cases_that_rules_were_written_by() -> None:
    cases = read_sealed()
    told = [(one["asked"].casefold(), one["question"].casefold()) for one in cases]
    assert len({one["id"] for one in cases}) == len(set(told)) == len(cases)
    assert not any(asked == question for asked, question in told)
    assert not set(told) & {(one.asked.casefold(), one.question.casefold()) for one in read_cases()}


def test_as_many_ask_the_same_as_do_not() -> None:
    cases = read_sealed()
    assert Counter(one["same"] for one in cases) == {True: 300, False: 300}
    places = Counter((one["source"], json.dumps(one["place"])) for one in cases)
    assert len(places) >= 140 and max(places.values()) <= 6
    both = {(one["question"], one["same"]) for one in cases}
    alone = [one["id"] for one in cases if (one["question"], not one["same"]) not in both]
    assert len(alone) <= 60, "most questions are asked both ways, so that the question tells nothing"


def test_passages_are_found_in_every_form_of_file(tmp_path: Path) -> None:
    squad = {"data": [{"paragraphs": [{"context": "no"}, {"context": TEXT}]}]}
    with gzip.open(tmp_path / "squad.json.gz", "wt", encoding="utf-8") as stream:
        json.dump(squad, stream)
    records = [{"_id": "a", "text": TEXT}, {"_id": "b", "evidence": TEXT}]
    (tmp_path / "plain.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    rows = [[{"text": "Harrow"}, {"text": "1904"}], [{"text": "Farrow"}, {"text": ""}]]
    (tmp_path / "t.jsonl").write_text(json.dumps({"_id": "t", "header": ["Mill", "Burnt"], "rows": rows}), "utf-8")
    cases = [
        case("squad.json.gz", "0/1", 0, 38, "Edith Lorne"),
        case("plain.jsonl", "a", 39, 61, "1904"),
        case("plain.jsonl", "b", 0, 61, "1904"),
        case("t.jsonl", "t", 0, 2, "Farrow"),
    ]
    assert [one["passage"] for one in with_passages(cases, tmp_path)] == [
        "The old mill was built by Edith Lorne.",
        "It burnt down in 1904.",
        TEXT,
        "Mill: Harrow; Burnt: 1904\nMill: Farrow; Burnt: ",
    ]


@pytest.mark.parametrize(("id_", "end"), [("a", 20), ("x", 61)])
def test_an_answer_that_does_not_stand_there_is_told(tmp_path: Path, id_: str, end: int) -> None:
    (tmp_path / "plain.jsonl").write_text(json.dumps({"_id": "a", "text": TEXT}), "utf-8")
    with pytest.raises(FormatError, match="answer of c does not stand"):
        list(with_passages([case("plain.jsonl", id_, 0, end, "1904")], tmp_path))
