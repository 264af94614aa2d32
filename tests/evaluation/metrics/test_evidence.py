from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import FormatError, UsageError
from answerable.evaluation.metrics.evidence import Annotation, annotation, answer_f1, evidence_f1, f1_by_kind
from tests.evaluation.metrics.cases import load

PARAGRAPHS = st.lists(st.sampled_from(["One.", "Two.", "Three."]), max_size=4)


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
        assert f1_by_kind(answers) == pytest.approx(official["Answer F1 by type"], rel=1e-14)
        assert official["Missing predictions"] == size - len(answers)


def test_the_first_of_equally_near_annotations_gives_the_type() -> None:
    gold = [Annotation("red", "extractive"), Annotation("Red.", "abstractive"), Annotation("No", "boolean")]
    assert answer_f1("red", gold) == (1.0, "extractive")
    assert answer_f1("blue", gold[::-1]) == (0.0, "boolean")


def test_repeated_paragraphs_lower_the_share() -> None:
    assert evidence_f1(["One.", "One."], [["One."]]) == pytest.approx(2 / 3)
    assert evidence_f1([], [["One."], []]) == 1.0


def test_what_is_no_annotation_is_refused() -> None:
    raw: dict[str, Any] = {"unanswerable": False, "extractive_spans": [], "free_form_answer": "", "yes_no": None}
    with pytest.raises(FormatError, match="lacks the field 'evidence'"):
        annotation(raw)
    with pytest.raises(FormatError, match="contains no answer"):
        annotation({**raw, "evidence": []})
    assert annotation({"unanswerable": True}) == Annotation("Unanswerable", "none")
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
