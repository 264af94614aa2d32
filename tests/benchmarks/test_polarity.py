"""benchmarks/polarity/sealed.jsonl keeps to its form."""

from __future__ import annotations

import json
from collections import Counter

import common
from polarity import CASES, read_cases

SEALED = [*common.rows(CASES.with_name("sealed.jsonl"))]

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


def test_each_case_keeps_to_the_form() -> None:
    for one in SEALED:
        assert {name: type(value) for name, value in one.items()} == FORM, one["id"]
        assert set(one["place"]) == {"id", "start", "end"} and one["place"]["start"] < one["place"]["end"], one["id"]
        assert one["kind"] in KINDS[one["same"]], one["id"]
        assert all(one[name] == one[name].strip() != "" for name in ("question", "answer", "asked")), one["id"]
        assert len(one["answer"].split()) <= 25, f"{one['id']}: an answer is a span, not a text"


def test_no_case_comes_twice_or_is_of_the_cases_that_rules_were_written_by() -> None:
    told = [(one["asked"].casefold(), one["question"].casefold()) for one in SEALED]
    assert len({one["id"] for one in SEALED}) == len(set(told)) == len(SEALED)
    assert not any(asked == question for asked, question in told)
    assert not set(told) & {(one.asked.casefold(), one.question.casefold()) for one in read_cases()}


def test_as_many_ask_the_same_as_do_not() -> None:
    assert Counter(one["same"] for one in SEALED) == {True: 300, False: 300}
    places = Counter((one["source"], json.dumps(one["place"])) for one in SEALED)
    assert len(places) >= 140 and max(places.values()) <= 6
    both = {(one["question"], one["same"]) for one in SEALED}
    alone = [one["id"] for one in SEALED if (one["question"], not one["same"]) not in both]
    assert len(alone) <= 60, "most questions are asked both ways, so that the question tells nothing"
