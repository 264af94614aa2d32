from __future__ import annotations

import json
from pathlib import Path

import pytest

from answerable.errors import FormatError
from answerable.readers.overlap import OverlapReader
from answerable.training.selector import Asked, Judged, fit_selector, judge, load_questions
from tests.contracts.reader import LIGHT, OTHER, chain


def test_questions_of_every_form_are_read(tmp_path: Path) -> None:
    rows = [
        {"question": "a", "answer": "x", "aliases": ["y"]},
        {"question": "b", "answers": ["z"], "covered": True},
        {"question": "c", "answer": "gone", "covered": False},
    ]
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert list(load_questions(path)) == [Asked("a", ("x", "y")), Asked("b", ("z",)), Asked("c", ())]
    path.write_text('{"question": "a"}')
    with pytest.raises(FormatError, match=r"line 1 of q\.jsonl"):
        list(load_questions(path))


def test_answers_are_judged_after_they_are_given() -> None:
    question = "Who designed the light?"
    chains = {question: (chain(LIGHT), chain(OTHER)), "Which?": ()}
    asked = [Asked(question, ("Alan Stevenson",)), Asked(question, ()), Asked("Which?", ())]
    judged = judge(asked, chains.__getitem__, OverlapReader())
    assert [j.right for j in judged] == [True, False]
    assert judged[0].features == judged[1].features


def test_the_fit_prefers_what_goes_with_being_right() -> None:
    low, high = (0.1,) * 8, (0.9,) * 8
    judged = [Judged(high, True)] * 40 + [Judged(high, False)] * 4 + [Judged(low, False)] * 40 + [Judged(low, True)] * 4
    made = fit_selector(judged, risk=0.1, fitted_on="made up")
    assert made.confidence(high) == pytest.approx(40 / 44, abs=0.05)
    assert made.confidence(low) == pytest.approx(4 / 44, abs=0.05)
    assert made.confidence(low) < made.threshold <= made.confidence(high)
    with pytest.raises(FormatError, match="rightly"):
        fit_selector([Judged(low, True)], 0.1, "")
