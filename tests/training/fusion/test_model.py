from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.modular import SkillShape, Special  # noqa: E402
from answerable.training.fusion.model import (  # noqa: E402
    FusedEncoder,
    FusedModel,
    attend,
    fused_loss,
    right_spans,
)
from answerable.types import Skill  # noqa: E402
from tests.training.skills.worlds import small_model  # noqa: E402

torch.manual_seed(0)
IDS = torch.randint(5, 60, (2, 3, 9))
MASK = torch.ones_like(IDS)
MASK[0, 1, 6:] = 0
MASK[1, 2] = 0  # the second question has two passages


def encoder(count: int = 3, **how: object) -> FusedEncoder:
    torch.manual_seed(1)
    return FusedEncoder(small_model(SkillShape(reading=True, **how)), count).eval()  # type: ignore[arg-type]


@pytest.mark.parametrize("special", list(Special))
def test_without_global_tokens_each_passage_is_the_trunks(special: Special) -> None:
    made = encoder(0, special=special)
    with torch.no_grad():
        fused, shared = made(IDS, MASK)
        alone = made.model.trunk(IDS.flatten(0, 1), MASK.flatten(0, 1), Skill.READ).view_as(fused)
    assert shared.shape == (2, 0, 32)
    kept = MASK.bool()
    assert torch.allclose(fused[kept], alone[kept], atol=1e-5)


def test_attending_to_oneself_is_the_sub_layer() -> None:
    part = encoder().model.trunk.layers[0].attention["read"]
    hidden, bias = torch.randn(2, 5, 32), torch.zeros(2, 5)
    bias[1, 3:] = -10000.0
    with torch.no_grad():
        assert torch.allclose(attend(part, hidden, bias[:, None]), part(hidden, bias[:, None, None]), atol=1e-5)


def test_the_order_of_passages_only_orders_what_comes_out() -> None:
    made, order = encoder(), torch.tensor([2, 0, 1])
    with torch.no_grad():
        (one, shared), (other, again) = made(IDS, MASK), made(IDS[:, order], MASK[:, order])
    assert torch.allclose(one[:, order], other, atol=1e-5) and torch.allclose(shared, again, atol=1e-5)


def test_passages_hear_of_each_other_and_questions_do_not() -> None:
    made, changed = encoder(), IDS.clone()
    changed[0, 0, 4] += 1
    with torch.no_grad():
        before, after = made(IDS, MASK)[0], made(changed, MASK)[0]
    assert not torch.allclose(before[0, 2], after[0, 2], atol=1e-6)
    assert torch.equal(before[1], after[1])
    with torch.no_grad():
        apart = encoder(0)
        assert torch.equal(apart(IDS, MASK)[0][0, 1:], apart(changed, MASK)[0][0, 1:])


def test_what_fills_up_changes_nothing() -> None:
    made = encoder()
    with torch.no_grad():
        padded, shared = made(IDS[1:], MASK[1:])
        exact, again = made(IDS[1:, :2], MASK[1:, :2])
        garbage = IDS.clone()
        garbage[0, 1, 6:] = 3
        short = made(garbage, MASK)[0]
        whole = made(IDS, MASK)[0]
    assert torch.allclose(padded[:, :2], exact, atol=1e-5) and torch.allclose(shared, again, atol=1e-5)
    assert torch.allclose(short[0, 1, :6], whole[0, 1, :6], atol=1e-5)


def reader(longest: int = 3) -> FusedModel:
    torch.manual_seed(2)
    return FusedModel(small_model(SkillShape(reading=True)), 2, longest).eval()


def test_spans_stay_within_the_tokens_that_can_answer() -> None:
    able = MASK.bool()
    able[:, :, :2] = False
    able[0, 0, 5] = False
    with torch.no_grad():
        scores, none = reader()(IDS, MASK, able)
    assert scores.shape == (2, 3, 9, 3) and none.shape == (2,)
    for question in range(2):
        for passage in range(3):
            for first in range(9):
                for extra in range(3):
                    inside = first + extra < 9 and bool(able[question, passage, first : first + extra + 1].all())
                    assert (float(scores[question, passage, first, extra]) > -1e8) == inside
    with pytest.raises(ValueError, match="global token"):
        FusedModel(small_model(), 0)


def test_a_span_is_scored_by_its_two_ends() -> None:
    made = reader()
    with torch.no_grad():
        scores, _ = made(IDS, MASK, MASK.bool())
        hidden, _ = made.encoder(IDS, MASK)
        ends = made.first(hidden[0, 2, 3]) + made.last(hidden[0, 2, 5])
        expected = made.span(torch.nn.functional.gelu(ends))
    assert float(scores[0, 2, 3, 2]) == pytest.approx(float(expected), abs=1e-5)


def test_the_loss_is_that_of_all_right_spans_in_one_space() -> None:
    scores = torch.tensor([[[[1.0, 2.0]], [[0.0, -1e9]]], [[[1.0, 2.0]], [[0.0, 3.0]]]])
    none = torch.tensor([0.5, 4.0])
    right = torch.zeros_like(scores).bool()
    right[0, 0, 0, 0] = right[0, 1, 0, 0] = True
    total = sum(math.exp(one) for one in (1.0, 2.0, 0.0, 0.5))
    first = -math.log((math.exp(1.0) + math.exp(0.0)) / total)
    second = -math.log(math.exp(4.0) / sum(math.exp(one) for one in (1.0, 2.0, 0.0, 3.0, 4.0)))
    assert float(fused_loss(scores, none, right)) == pytest.approx((first + second) / 2, abs=1e-5)


def test_it_learns_to_point_and_to_say_nothing() -> None:
    made, able = reader(), MASK.bool()
    right = torch.zeros(2, 3, 9, 3).bool()
    right[0, 1, 2, 1] = right[0, 2, 5, 0] = True
    optimizer = torch.optim.AdamW(made.parameters(), lr=5e-3)
    losses = []
    for _ in range(40):
        scores, none = made(IDS, MASK, able)
        loss = fused_loss(scores, none, right)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(float(loss.detach()))
    assert math.isfinite(losses[-1]) and losses[-1] < losses[0] / 4
    with torch.no_grad():
        scores, none = made(IDS, MASK, able)
    assert bool(right[0].flatten()[scores[0].argmax()]) and float(none[1]) > float(scores[1].max())


def test_right_spans_are_all_that_say_an_answer() -> None:
    text = "The Bell of Mull. A bell!"
    offsets = [(0, 3), (4, 8), (9, 11), (12, 16), (16, 17), (18, 19), (20, 24), (24, 25)]
    right = right_spans(text, offsets, ["the bell", ""], 3)
    said = {text[offsets[i][0] : offsets[i + k][1]] for i, k in right.nonzero().tolist()}
    assert said == {"The Bell", "Bell", "A bell", "A bell!", "bell", "bell!", ". A bell"}
    assert not right_spans(text, offsets, [""], 3).any()
