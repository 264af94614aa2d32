"""What a reader's losses make of a question whose answer stands in several places."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from answerable.readers.layout import Layout
from answerable.training.reading import NONE, SPAN, Encoded, Reading, encode
from answerable.training.span import reading_loss, shared_loss
from tests.readers.test_layout import layout  # noqa: F401

ONE = Encoded([1, 5, 2, 7, 8, 9, 2], [0, 0, 0, 1, 1, 1, 1], 4, 5, SPAN)
TWO = replace(ONE, further=((3, 3),))
WITHOUT = Encoded([1, 5, 2, 7, 8, 2], [0, 0, 0, 1, 1, 1], 0, 0, NONE)


@pytest.fixture
def scores() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(3)
    return torch.randn(2, 7), torch.randn(2, 7), torch.randn(2, 4)


def test_the_losses_sum_over_all_places_that_are_right(scores: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
    start, end, kind = scores
    first, last = F.log_softmax(start, 1), F.log_softmax(end, 1)
    held = (first[0, 4] + last[0, 5]).exp() + (first[0, 3] + last[0, 3]).exp()
    telling = F.cross_entropy(kind, torch.tensor([SPAN, NONE]), reduction="none")
    rows = torch.stack([telling[0] - held.log(), telling[1] - first[1, 0] - last[1, 0]]) / 2
    assert float(reading_loss(start, end, kind, [TWO, WITHOUT])) == pytest.approx(float(rows.mean()), abs=1e-5)
    each = [float(shared_loss(start, end, kind, [[one, WITHOUT]])) for one in (ONE, replace(ONE, start=3, end=3), TWO)]
    right = torch.tensor(each[:2]).neg().exp().sum()
    assert each[2] == pytest.approx(-float(right.log()), abs=1e-4)


def test_a_question_counts_for_as_much_as_it_weighs(scores: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
    light = [replace(one, weight=0.5) for one in (TWO, WITHOUT)]
    assert float(reading_loss(*scores, light)) == pytest.approx(float(reading_loss(*scores, [TWO, WITHOUT])) / 2)
    assert float(shared_loss(*scores, [light])) == pytest.approx(float(shared_loss(*scores, [[TWO, WITHOUT]])) / 2)


def test_the_losses_are_computed_where_the_scores_are(
    scores: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
) -> None:
    elsewhere = [one.to("meta") for one in scores]  # a device that tensors of another cannot join
    assert reading_loss(*elsewhere, [TWO, WITHOUT]).device.type == "meta"
    assert shared_loss(*elsewhere, [[TWO, WITHOUT]]).device.type == "meta"


def test_further_places_count_where_they_are_shown(layout: Layout) -> None:  # noqa: F811
    text = " ".join(f"w{number % 500}" for number in range(900))
    near, far = ((0, at, at + 4) for at in (text.index("w399"), text.rindex("w399")))
    passages = (("", text), ("", "w7 w399 w8"))
    asked = Reading("1", "w1", passages, SPAN, near, further=(far, near, (1, 3, 7)), weight=0.5)
    (one,) = encode(layout, [asked], 2)
    assert len(one.further) == 1 and one.weight == 0.5
    for first, last in ((one.start, one.end), *one.further):
        assert first == last and layout.tokenizer.id_to_token(one.ids[first]) == "w399"
