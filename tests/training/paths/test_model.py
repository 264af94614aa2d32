from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.training.paths.draw import DrawnPath, DrawSettings, EncodedPath, Part, draw, encode
from answerable.training.paths.model import PathWeights, collate, list_mle, path_loss, pointing
from answerable.training.reading import NONE, SPAN
from answerable.types import Skill
from tests.training.experts import learned
from tests.training.paths.test_draw import ASKED, FIRST, LAST, WRONG
from tests.training.paths.worlds import layout, model, write_bert


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


def paths(bert: Path, *given: tuple[tuple[Part, ...], int]) -> list[EncodedPath]:
    return list(encode(layout(bert), [DrawnPath(ASKED.question, parts, kind) for parts, kind in given], "1"))


def test_scores_are_the_papers(bert: Path) -> None:
    both = paths(bert, ((FIRST, LAST), SPAN), ((WRONG[0],), NONE))
    reader, batch = model(bert), collate(both)
    with torch.no_grad():
        scores = reader(batch)
        hidden = reader.encoder.trunk(batch.ids, batch.mask, Skill.READ)
    for row, one in enumerate(both):
        here = torch.stack([hidden[row, place] for place in (0, *one.marks)])
        assert torch.allclose(scores.passages[row, : len(here)], reader.passages(here)[:, 0], atol=1e-5)
        means = torch.stack([hidden[row, 0], *(hidden[row, a:b].mean(0) for a, b, _ in one.sentences)])
        assert torch.allclose(scores.sentences[row, : len(means)], reader.sentences(means)[:, 0], atol=1e-4)
        for logits in (scores.start[row], scores.end[row]):
            allowed = {i for i, value in enumerate(logits.tolist()) if value > -5000}
            assert allowed == {0, *one.polar, *(i for a, b in one.texts for i in range(a, b))}


def test_labels_are_right_above_the_threshold_above_wrong(bert: Path) -> None:
    batch = collate(paths(bert, ((FIRST, WRONG[0]), NONE), ((LAST,), SPAN)))
    assert batch.passage_labels.tolist() == [[0.5, 1.0, 0.0], [0.5, 1.0, 0.0]]
    assert batch.passages_there.tolist() == [[True, True, True], [True, True, False]]
    assert batch.sentence_labels.tolist() == [[0.5, 1.0, 0.0, 0.0, 0.0], [0.5, 0.0, 1.0, 0.0, 0.0]]
    assert batch.sentences_there.sum(1).tolist() == [5, 3]
    assert batch.start[0] == batch.end[0] == 0 < batch.start[1]


def test_sentences_nobody_spoke_of_are_left_out(bert: Path) -> None:
    unknown = Part(LAST.title, LAST.text, True, LAST.answer)
    batch = collate(paths(bert, ((unknown, WRONG[0]), SPAN)))
    assert batch.sentence_labels.tolist() == [[0.5, 0.0, 0.0]] and batch.sentences_there.all()


def test_padding_and_neighbours_change_nothing(bert: Path) -> None:
    both = paths(bert, ((FIRST, LAST, WRONG[0]), SPAN), ((WRONG[1],), NONE))
    reader = model(bert)
    with torch.no_grad():
        together, alone = reader(collate(both)), reader(collate(both[1:]))
    assert torch.allclose(together.passages[1, :2], alone.passages[0], atol=1e-5)
    assert torch.allclose(together.sentences[1, :3], alone.sentences[0], atol=1e-4)
    assert torch.allclose(together.start[1, : alone.start.shape[1]], alone.start[0], atol=1e-4)


def test_the_loss_is_equation_10_and_without_passages_equation_11(bert: Path) -> None:
    reader, batch = model(bert), collate(paths(bert, ((FIRST, WRONG[0]), NONE), ((LAST, FIRST), SPAN)))
    with torch.no_grad():
        scores = reader(batch)
    passages = list_mle(scores.passages, batch.passage_labels, batch.passages_there)
    supporting = list_mle(scores.sentences, batch.sentence_labels, batch.sentences_there)
    answer = pointing(scores.start, scores.end, batch.start, batch.end)
    ten, eleven = (path_loss(scores, batch, weights) for weights in (PathWeights(), PathWeights(passages=0.0)))
    assert ten == pytest.approx(float(passages + answer + 0.5 * supporting))
    assert eleven == pytest.approx(float(answer + 0.5 * supporting))


def test_it_learns_what_it_is_shown(bert: Path) -> None:
    reader, rng = model(bert), random.Random(2)
    reader.model.train_alone([Skill.READ])
    shown = list(encode(layout(bert), [draw(ASKED, DrawSettings(), rng) for _ in range(12)], "1"))
    batch = collate(shown)
    losses = learned(reader, lambda: path_loss(reader(batch), batch, PathWeights()), 40, 1e-2)
    assert losses[-1] < losses[0] / 4
    with torch.no_grad():
        scores = reader(batch)
    above = (scores.passages[:, 1:] > scores.passages[:, :1])[batch.passages_there[:, 1:]]
    assert above.tolist() == (batch.passage_labels[:, 1:] > 0.5)[batch.passages_there[:, 1:]].tolist()


RELEVANCES = (0.0, 0.5, 1.0)
items = st.lists(st.tuples(st.floats(-30, 30), st.sampled_from(RELEVANCES)), min_size=1, max_size=7)


def loss(found: list[tuple[float, float]], fill: int = 0) -> float:
    scores, relevance = torch.tensor([found], dtype=torch.float64).unbind(-1)
    there = torch.ones_like(scores).bool()
    if fill:
        pad = torch.full((1, fill), 7.0, dtype=torch.float64)
        scores, relevance = torch.cat([scores, pad], 1), torch.cat([relevance, pad], 1)
        there = torch.cat([there, torch.zeros(1, fill).bool()], 1)
    return float(list_mle(scores, relevance, there))


def by_hand(found: list[tuple[float, float]]) -> float:
    """Equation 9, item by item."""
    total = 0.0
    for score, relevance in found:
        among = [score, *(other for other, less in found if less < relevance)]
        total -= score - max(among) - math.log(sum(math.exp(one - max(among)) for one in among))
    return total


@settings(max_examples=40, deadline=None)
@given(items)
def test_it_is_equation_9(found: list[tuple[float, float]]) -> None:
    assert loss(found) == pytest.approx(by_hand(found), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(items, st.randoms(use_true_random=False), st.floats(-50, 50))
def test_neither_order_nor_a_constant_nor_what_fills_up_matters(
    found: list[tuple[float, float]], random, by: float
) -> None:
    shuffled = random.sample(found, len(found))
    assert loss(shuffled) == pytest.approx(loss(found), abs=1e-9)
    assert loss(found, fill=3) == pytest.approx(loss(found), abs=1e-9)
    assert loss([(score + by, relevance) for score, relevance in found]) == pytest.approx(loss(found), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(items)
def test_the_perfect_order_costs_least(found: list[tuple[float, float]]) -> None:
    scores = sorted(score for score, _ in found)
    perfect = list(zip(scores, sorted(relevance for _, relevance in found), strict=True))
    assert loss(perfect) <= loss(found) + 1e-9
    far = [(100.0 * relevance, relevance) for _, relevance in found]
    assert loss(far) == pytest.approx(0.0, abs=1e-6)


def test_equals_never_stand_against_each_other() -> None:
    assert loss([(3.0, 1.0), (-8.0, 1.0), (50.0, 1.0)]) == 0.0
    scores = torch.tensor([[2.0, 1.0, 0.0]], requires_grad=True)
    list_mle(scores, torch.tensor([[1.0, 0.0, 0.0]]), torch.ones(1, 3).bool()).backward()
    assert scores.grad[0, 0] < 0 < scores.grad[0, 1]


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_it_and_its_gradient_stay_finite(size: float) -> None:
    scores = torch.tensor([[-size, size, 0.0], [0.0, 0.0, size]], requires_grad=True)
    there = torch.tensor([[True, True, True], [True, False, False]])
    found = list_mle(scores, torch.tensor([[1.0, 0.0, 0.5], [1.0, 0.0, 0.0]]), there)
    found.backward()
    assert torch.isfinite(found) and torch.isfinite(scores.grad).all()


def test_lists_are_averaged_and_pointing_is_the_mean_of_both_ends() -> None:
    one, other = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 3.0]])
    relevance, there = torch.tensor([[1.0, 0.0]]), torch.ones(1, 2).bool()
    both = list_mle(torch.cat([one, other]), relevance.repeat(2, 1), there.repeat(2, 1))
    assert both == (list_mle(one, relevance, there) + list_mle(other, relevance, there)) / 2
    start, end = torch.zeros(1, 4), torch.tensor([[0.0, 0.0, 50.0, 0.0]])
    found = pointing(start, end, torch.tensor([0]), torch.tensor([2]))
    assert float(found) == pytest.approx(math.log(4) / 2, abs=1e-5)
    assert PathWeights() == PathWeights(passages=1.0, answer=1.0, sentences=0.5)
