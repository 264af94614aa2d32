from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from answerable.qapairs.generation.heads import SelectionHead
from answerable.training.loop import LoopSettings
from answerable.training.qapairs.selecting import (
    Drawn,
    Group,
    SelectionModel,
    SelectionRecipe,
    by_length,
    calibrated,
    is_held,
    joined,
    learn,
    parted,
    recall_at,
    recalls,
    selection_loss,
)


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        ("He said , `` no '' ( twice ) .", 'He said, "no" (twice).'),
        ("It 's the AFL - NFL merger of 1966 -- 70 .", "It's the AFL-NFL merger of 1966–70."),
        ("They do n't pay $ 5 ; why ?", "They don't pay $5; why?"),
    ],
)
def test_words_are_put_together_again(apart: str, said: str) -> None:
    assert joined(apart) == said == joined(said)


def test_parts_share_no_page_and_groups_keep_their_passages() -> None:
    passages = [(f"Page {n // 2}", "text " * n) for n in range(60)]
    held = [n for n in range(60) if is_held(passages[n][0])]
    free = [n for n in range(60) if not is_held(passages[n][0])]
    groups = [Group("a", held[0], tuple(held[2:4])), Group("a", free[0], tuple(free[2:5])), Group("b", free[1], ())]
    made = parted(passages, groups)
    assert len(made.learned) == len(made.held) == 1
    one = made.held[0]
    assert made.passages[one.positive] == passages[held[0]]
    assert [made.passages[n] for n in one.negatives] == [passages[n] for n in held[2:4]]
    kept = by_length(passages, range(60))
    assert sorted(n for found in kept.values() for n in found) == list(range(60))
    assert all(is_held(passages[n][0]) == part for (_, part), found in kept.items() for n in found)


def test_the_loss_compares_a_positive_with_its_own_group_alone() -> None:
    vectors = torch.tensor([[0.0], [3.0], [-2.0], [9.0]])
    groups = [Group("a", 1, (0, 2)), Group("a", 3, (1,))]
    exact = [np.log(np.exp([3.0, 0.0, -2.0]).sum()) - 3.0, np.log(np.exp([9.0, 3.0]).sum()) - 9.0]
    assert float(selection_loss(lambda v: v.squeeze(-1), vectors, groups)) == pytest.approx(np.mean(exact))


def test_the_head_in_torch_scores_as_the_one_that_ships_runs() -> None:
    torch.manual_seed(1)
    model = SelectionModel(8, 4, 0.5).eval()
    rows = np.random.default_rng(2).normal(size=(5, 8)).astype(np.float32)
    with torch.no_grad():
        made = model(torch.from_numpy(rows)).numpy()
    np.testing.assert_allclose(SelectionHead(model.weights()).scores(rows), made, rtol=1e-4, atol=1e-5)


def test_it_learns_to_put_what_was_asked_about_first(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(120, 8)).astype(np.float32)
    vectors[:40, 0] += 3.0
    texts = tuple((f"Page {n}", "") for n in range(120))
    groups = [Group("a", n, (40 + n, 80 + n)) for n in range(40)]
    torch.manual_seed(1)
    model = SelectionModel(8, 4, 0.0)
    recipe = SelectionRecipe(hidden=4, dropout=0.0, epochs=10, groups=8, loop=LoopSettings(rate=0.02, seed=1))
    learn(model, Drawn(texts, tuple(groups[:30]), tuple(groups[30:])), vectors, recipe, tmp_path)
    assert recalls(groups[30:], SelectionHead(model.weights()).scores(vectors))["a"][1] == 100.0
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 10


def test_recall_is_of_positives_in_the_best_part_of_the_pool() -> None:
    assert recall_at([0, 1], list(range(2, 8)), [9, 8, 7, 6, 5, 4, 3, 2]) == (100.0, 100.0)
    assert recall_at([0, 1], list(range(2, 8)), [9, 0, 7, 6, 5, 4, 3, 2]) == (50.0, 50.0)
    groups = [Group("a", 0, (1, 2, 3)), Group("b", 1, (2, 3, 0))]
    assert recalls(groups, [3, 2, 1, 0]) == {"a": (100.0, 100.0), "b": (0.0, 100.0)}


def test_scores_become_probabilities_where_one_passage_in_five_was_asked_about() -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=1000).astype(np.float32)
    asked = rng.random(1000) < 1 / (1 + np.exp(-(2 * scores - 1)))
    right, wrong = np.flatnonzero(asked).tolist(), np.flatnonzero(~asked).tolist()
    groups = [Group("a", n, tuple(wrong)) for n in right]
    scale, shift = calibrated(groups, scores)
    rarer = np.log(0.2 / 0.8) - np.log(len(right) / len(wrong))
    assert scale == pytest.approx(2, abs=0.4) and shift == pytest.approx(-1 + rarer, abs=0.3)
