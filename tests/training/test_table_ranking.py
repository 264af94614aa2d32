"""Fitting the ranking of a table's programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from answerable.tables.network import Network
from answerable.training.table_ranking import Batch, Choice, Ranker, fit, likelihoods

DIMENSION = 6


def choice(rng: np.random.Generator, best: int) -> Choice:
    """Three programs, of a part of their own and one that they share; feature `best` makes one right."""
    parts = np.array([[0, 3], [1, 3], [2, 4]], np.int16)
    features = np.array([best, (best + 1) % 3, (best + 2) % 3, 3], np.int32)
    said = np.array([0, 1, 1], np.int32)
    question = rng.normal(size=DIMENSION).astype(np.float32)
    return Choice(parts, features, np.array([0, 1, 2, 3, 4], np.int32), said, np.array([True, False]), question)


def test_what_was_fitted_is_what_the_network_scores(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = Ranker(5, 4, DIMENSION).eval()
    torch.nn.init.normal_(model.out.weight)
    arrays = model.arrays()
    arrays.pop("weights")
    np.savez(tmp_path / "network.npz", allow_pickle=False, **arrays)
    network = Network.load(tmp_path / "network.npz", ["a", "b", "c", "d", "light"])
    one = choice(np.random.default_rng(2), 0)
    batch = Batch.of_choices([one], np.arange(5))
    with torch.no_grad():
        wanted = model(batch).numpy()
    parts = [network.part([name]) for name in "abcd"] + [network.part(["light", "unknown"])]
    summed = np.stack([parts[row[0]] + parts[row[1]] for row in one.parts])
    np.testing.assert_allclose(network.scores(summed, one.question), wanted, atol=0.02)
    assert not parts[4].any(), "a feature without a vector has none"


def test_a_batch_is_its_choices_one_by_one() -> None:
    torch.manual_seed(3)
    model = Ranker(4, 2, DIMENSION).eval()
    for weight in (model.out.weight, model.weights.weight):
        torch.nn.init.normal_(weight)
    rng, places = np.random.default_rng(4), np.arange(4)
    some = [choice(rng, best) for best in (0, 2, 1)]
    with torch.no_grad():
        together = likelihoods(model(batch := Batch.of_choices(some, places)), batch)
        alone = [likelihoods(model(own := Batch.of_choices([one], places)), own) for one in some]
    torch.testing.assert_close(together, torch.cat(alone))


def test_programs_of_one_answer_are_right_together() -> None:
    one = choice(np.random.default_rng(5), 0)
    batch = Batch.of_choices([one], np.arange(4))
    assert likelihoods(torch.zeros(3), batch).exp().item() == pytest.approx(1 / 3)
    assert likelihoods(torch.tensor([50.0, 0.0, 0.0]), batch).exp().item() == pytest.approx(1)


def test_what_makes_answers_right_is_weighed_most() -> None:
    rng = np.random.default_rng(6)
    weights = fit([choice(rng, 0) for _ in range(400)], np.arange(4), 2, 7)["weights"]
    assert weights.argmax() == 0 and weights[0] > 0.1 > weights[1]
