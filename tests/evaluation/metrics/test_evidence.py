from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.answers import Annotation, answer_f1, evidence_f1
from tests.evaluation.metrics.cases import load

PARAGRAPHS = st.lists(st.sampled_from(["One.", "Two.", "Three."]), max_size=4)


def annotation(raw: dict[str, Any], text_only: bool) -> Annotation:
    """From an "answer" object of the released files; `text_only` leaves out evidence in figures and tables."""
    if raw["unanswerable"]:
        return Annotation("Unanswerable", "none")
    evidence = tuple(text for text in raw["evidence"] if not (text_only and "FLOAT SELECTED" in text))
    if raw["extractive_spans"]:
        return Annotation(", ".join(raw["extractive_spans"]), "extractive", evidence)
    if raw["free_form_answer"]:
        return Annotation(raw["free_form_answer"], "abstractive", evidence)
    return Annotation("Yes" if raw["yes_no"] else "No", "boolean", evidence)


@pytest.mark.parametrize("part", ["all", "text"])
def test_the_official_script(part: str) -> None:
    groups = load("qasper")
    assert sum(len(group["said"]) for group in groups) >= 200
    for group in groups:
        each, official = group[part]
        answers, evidence = [], []
        for question in group["questions"]:
            id = question["question_id"]
            if id not in group["said"]:
                continue
            said = group["said"][id]
            gold = [annotation(raw["answer"], text_only=part == "text") for raw in question["answers"]]
            answers.append(answer_f1(said["answer"], gold))
            evidence.append(evidence_f1(said["evidence"], [one.evidence for one in gold]))
            assert [answers[-1][0], evidence[-1]] == each[id], (said, gold)
        size = len(group["questions"])
        assert sum(f1 for f1, _ in answers) / size == pytest.approx(official["Answer F1"], rel=1e-14)
        assert sum(evidence) / size == pytest.approx(official["Evidence F1"], rel=1e-14)
        for kind, mean in official["Answer F1 by type"].items():
            of = [f1 for f1, its in answers if its == kind]
            assert sum(of) / max(1, len(of)) == pytest.approx(mean, rel=1e-14)
        assert official["Missing predictions"] == size - len(answers)


def test_the_first_of_equally_near_annotations_gives_the_type() -> None:
    gold = [Annotation("red", "extractive"), Annotation("Red.", "abstractive"), Annotation("No", "boolean")]
    assert answer_f1("red", gold) == (1.0, "extractive")
    assert answer_f1("blue", gold[::-1]) == (0.0, "boolean")


def test_repeated_paragraphs_lower_the_share() -> None:
    assert evidence_f1(["One.", "One."], [["One."]]) == pytest.approx(2 / 3)
    assert evidence_f1([], [["One."], []]) == 1.0


def test_a_question_without_annotations_is_refused() -> None:
    with pytest.raises(UsageError, match="no evidence F1"):
        evidence_f1(["One."], [])
    with pytest.raises(UsageError, match="no answer F1"):
        answer_f1("red", [])


@given(PARAGRAPHS, st.lists(PARAGRAPHS, min_size=1, max_size=3))
def test_bounds_order_and_more_annotators(said: list[str], gold: list[list[str]]) -> None:
    score = evidence_f1(said, gold)
    assert 0 <= score <= 1
    assert evidence_f1(said[::-1], [one[::-1] for one in gold[::-1]] * 2) == score
    assert evidence_f1(said, [*gold, ["One."]]) >= score
    assert evidence_f1(sorted(set(said)), [*gold, sorted(set(said))]) == 1.0
