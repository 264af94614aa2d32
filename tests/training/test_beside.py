"""What is read beside the passage that answers, and the loss that all windows of a question share."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.readers.span import LONGEST_ANSWER
from answerable.training.beside import Beside
from answerable.training.reading import NO, NONE, SPAN, YES, Encoded, Reading
from answerable.training.span import SpanReader, collate, shared_loss
from tests.training.experts import learned

RIGHT = ("Skerry", "The keeper of the lighthouse was Ada Holm.")
PASSAGES = [
    RIGHT,
    ("Ness", "The keeper of the other lighthouse was Olaf Brand."),
    ("Copy", "Who was keeper of the lighthouse? It was Ada Holm, we hear."),
    ("Fishing", "Boats leave the harbour of the lighthouse at dawn."),
    ("Lamps", "The lighthouse has a lamp of the second order."),
]
READING = Reading("1", "Who was the keeper of the lighthouse?", (RIGHT,), SPAN, (0, 33, 41), ("Ada Holm",), "written")


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Beside:
    return Beside([READING], PASSAGES, tmp_path_factory.mktemp("words"))


def drawn(beside: Beside, reading: Reading) -> list[tuple[Reading, ...]]:
    return [beside.windows(reading, 3, random.Random(seed)) for seed in range(40)]


def test_what_is_found_beside_holds_no_answer_and_is_read_as_none(beside: Beside) -> None:
    for windows in drawn(beside, READING):
        assert 1 <= len(windows) <= 3
        for one in windows:
            held = [text for _, text in one.passages if "Ada Holm" in text]
            assert held in ([], [RIGHT[1]])
            assert one.kind == (SPAN if held else NONE)
            if one.answer is not None:
                which, start, end = one.answer
                assert one.passages[which][1][start:end] == "Ada Holm"


def test_what_answers_a_question_elsewhere_is_not_shown_to_it_as_what_does_not(tmp_path: Path) -> None:
    found = Reading("3", READING.question, (PASSAGES[1],), NONE)
    asked = Reading("4", "Was Olaf Brand the keeper of the lighthouse?", (PASSAGES[1],), NO, None, ("no",))
    unsure = Reading("5", asked.question, (PASSAGES[3],), NONE)
    beside = Beside([READING, found, asked, unsure], PASSAGES, tmp_path)
    for reading, right in ((found, RIGHT), (unsure, PASSAGES[1])):
        shown = {one for windows in drawn(beside, reading) for window in windows for one in window.passages}
        assert right not in shown and len(shown) > 1


def test_some_questions_are_read_without_what_answers_them(beside: Beside) -> None:
    without = [windows for windows in drawn(beside, READING) if all(one.kind == NONE for one in windows)]
    assert 0 < len(without) < 20


def test_half_of_a_chain_does_not_answer(beside: Beside) -> None:
    first = ("Tower", "The lighthouse that Ida painted stands on Skerry.")
    chain = Reading("2", "Who kept the lighthouse that Ida painted?", (first, RIGHT), SPAN, (1, 33, 41), ("Ada Holm",))
    halves = [one for windows in drawn(beside, chain) for one in windows if first in one.passages and one.kind == NONE]
    assert halves
    assert all(RIGHT not in one.passages for one in halves)


def test_a_chain_is_read_in_either_order(beside: Beside) -> None:
    first = ("Tower", "The lighthouse that Ida painted stands on Skerry.")
    chain = Reading("2", "Who kept the lighthouse that Ida painted?", (first, RIGHT), SPAN, (1, 33, 41), ("Ada Holm",))
    whole = [one for windows in drawn(beside, chain) for one in windows if one.answer is not None]
    assert {one.answer[0] for one in whole if one.answer} == {0, 1}
    assert all(one.passages[one.answer[0]] == RIGHT for one in whole if one.answer)


def test_an_index_that_stands_there_is_used_again(tmp_path: Path) -> None:
    once, again = (Beside([READING], PASSAGES, tmp_path) for _ in range(2))
    assert [once.windows(READING, 3, random.Random(5))] == [again.windows(READING, 3, random.Random(5))]


def encoded(kind: int, start: int = 0, end: int = 0, polar: bool = False, size: int = 3) -> Encoded:
    return Encoded([1, 5, 2, *range(7, 7 + size), 2], [0, 0, 0] + [1] * (size + 1), start, end, kind, polar)


def test_the_shared_loss_is_one_softmax_over_all_spans_and_none() -> None:
    torch.manual_seed(1)
    rows = [encoded(SPAN, 4, 5), encoded(NONE, size=2)]
    start, end, kind = (torch.randn(2, 7), torch.randn(2, 7), torch.randn(2, 4))
    there = kind[:, SPAN] - kind[:, NONE]
    scores = {
        (row, i, j): float((start[row, i] + end[row, j] - start[row, 0] - end[row, 0] + there[row]) / 2)
        for row in range(2)
        for i in range(1, 7)
        for j in range(i, min(7, i + LONGEST_ANSWER))
    }
    whole = torch.logsumexp(torch.tensor([0.0, *scores.values()]), 0)
    assert float(shared_loss(start, end, kind, [rows])) == pytest.approx(float(whole) - scores[0, 4, 5], abs=1e-4)
    absent = [encoded(NONE), encoded(NONE, size=2)]
    assert float(shared_loss(start, end, kind, [absent])) == pytest.approx(float(whole), abs=1e-4)


def test_an_answer_longer_than_any_that_is_given_is_no_better_than_certain() -> None:
    size = LONGEST_ANSWER + 12
    row = encoded(SPAN, 4, 4 + LONGEST_ANSWER + 2, size=size)
    start, end = torch.zeros(1, len(row.ids)), torch.zeros(1, len(row.ids))
    start[0, row.start] = end[0, row.end] = 40.0
    assert 0.0 <= float(shared_loss(start, end, torch.zeros(1, 4), [[row]])) < 0.01


def test_what_asks_for_yes_or_no_is_scored_by_these() -> None:
    kind = torch.tensor([[0.0, 2.0, 1.0, -1.0], [0.5, 0.0, 0.0, 1.0]])
    start = torch.zeros(2, 7)
    options = [kind[row, one] - torch.logsumexp(kind[row, [SPAN, NONE]], 0) for row in range(2) for one in (YES, NO)]
    whole = torch.logsumexp(torch.stack([torch.tensor(0.0), *options]), 0)
    rows = [encoded(YES, polar=True), encoded(NONE, polar=True)]
    assert float(shared_loss(start, start, kind, [rows])) == pytest.approx(float(whole - options[0]), abs=1e-5)


def test_a_reader_learns_which_of_two_windows_answers() -> None:
    torch.manual_seed(4)
    model = SpanReader(Trunk(TrunkShape(vocabulary=40, width=32, layers=2, heads=4, inner=64, positions=40)))
    groups = [[encoded(SPAN, 4, 5), encoded(NONE, size=2)], [encoded(NO, polar=True), encoded(NONE, size=5)]]
    rows = [one for group in groups for one in group]
    assert learned(model, lambda: shared_loss(*model(*collate(rows)), groups), 80, 0.01)[-1] < 0.1
