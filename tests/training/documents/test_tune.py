"""What a walk is tuned to, on questions made for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from answerable.documents.weights import open_weights, plain_weights
from answerable.encoders.sentences import WALK
from answerable.encoders.shipped import open_shipped, seal
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongQuestion
from answerable.training.documents.tune import (
    FIRST,
    SPARSE,
    Chosen,
    Posed,
    candidates,
    fit,
    margins,
    pose,
    ranked,
    told,
    tried,
    tune,
    write,
)
from tests.evaluation.long.stand_ins import guide, harbour, span

QUESTIONS = (
    LongQuestion("1", "Who was the first keeper?", ("Ada Moor",), ((span("Its first keeper was Ada Moor."),),)),
    LongQuestion("2", "When did the station close?", ("1964",), ((span("The station of Elm closed in 1964."),),)),
    LongQuestion("3", "Where was Ada Moor born?", ("Kelby",), ((span("Ada Moor was born in Kelby."),),)),
)
GUIDE = guide()


def posed(source: str = "made", most: int = 9) -> list[Posed]:
    return list(pose(GUIDE, source, [harbour(*QUESTIONS)], most))


def test_questions_are_drawn_with_their_evidence() -> None:
    every = posed()
    assert [len(one.evidence) for one in every] == [1, 1, 1]
    assert [one.count for one in every] == [0, 0, 0]
    assert [one.count for one in posed("hotpotqa")] == [2, 2, 2]
    assert [one.text for one in posed(most=2)] == [one.text for one in posed(most=2)]
    assert len(posed(most=2)) == 2


def test_a_cached_reading_ranks_as_the_guide_does() -> None:
    for one in posed():
        for trust in (0.0, 0.5, 2.0):
            steered = replace(GUIDE, weights=replace(GUIDE.weights, trust=np.array([trust], np.float32)))
            walked = steered.walk(one.shelf, one.text)
            assert walked is not None
            found, chains = candidates(GUIDE, one, walked)
            right = [(c.score, c.text) for c in steered.read(one.shelf, one.text).candidates]
            ours = ranked(found, chains, trust)
            assert [text for _, text in ours] == [text for _, text in right]
            assert [score for score, _ in ours] == pytest.approx([score for score, _ in right])


def test_the_best_of_the_grid_is_no_worse_than_any_of_it() -> None:
    every = posed()
    best = tune(GUIDE, every, len(FIRST) * len(SPARSE))
    measured = [one for a in FIRST for b in SPARSE for one in tried(GUIDE, every, Chosen(a, 0.0, b, 0.0, 0.0, 0.0))]
    assert (best.f1, best.hits) == max((one.f1, one.hits) for one in measured)
    assert best == tune(GUIDE, posed(), len(FIRST) * len(SPARSE))
    short = tune(GUIDE, posed(), 2)
    assert short.hits == max(one.hits for one in measured)
    assert short.f1 <= best.f1
    with pytest.raises(UsageError, match="no question"):
        tune(GUIDE, [])


def test_better_scores_are_surer() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 2)) * [2.0, 1.0]
    likely = 1 / (1 + np.exp(-(1.5 * rows[:, 0] + 0.7 * rows[:, 1] - 0.5)))
    found = fit(rows, (rng.random(400) < likely).astype(float))
    assert found == pytest.approx([1.5, 0.7, -0.5], abs=0.4)
    contrary = fit(rows, (rows[:, 0] < 0).astype(float))
    assert contrary[0] == 0.0
    for right in (np.zeros(400), np.ones(400)):
        assert np.isfinite(fit(rows, right)).all()
    assert np.isfinite(fit(np.zeros((0, 2)), np.zeros(0))).all()


def test_margins_are_those_of_different_answers() -> None:
    rows, right = margins(GUIDE, posed(), Chosen(1.0, 0.0, (0.3, 0.0), 0.5, 0.0, 0.0))
    assert rows.shape == (3, 2)
    assert set(right) <= {0.0, 1.0}
    assert (rows[:, 1] >= 0).all()


def test_what_was_chosen_is_written_and_nothing_else_changes(tmp_path: Path) -> None:
    weights = plain_weights(8)
    weights.save(tmp_path / WALK)
    (tmp_path / "other").write_text("kept", "utf8")
    shipped = seal(tmp_path, "made-1", [WALK, "other"], {"dimension": 8})
    chosen = Chosen(1.5, 0.25, (0.6, 0.0), 1.0, 0.5, 0.5)
    written = write(shipped, replace(chosen.put(weights), confidence=np.array([1, 2, 3], np.float32)))
    assert (written.name, written.about["dimension"]) == ("made-1", 8)
    assert written.about["files"]["other"] == shipped.about["files"]["other"]
    held = open_weights(open_shipped(tmp_path).file(WALK))
    assert held.paragraph.tolist() == [1.5, 0.25]
    assert held.confidence.tolist() == [1.0, 2.0, 3.0]
    assert (float(held.sparse[0]), float(held.trust[0])) == (pytest.approx(0.6), 1.0)
    assert held.mix_sentence.tolist() == weights.mix_sentence.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "other", WALK]
    assert json.loads(json.dumps(told(chosen, held.confidence, posed())))["questions"] == {"made": 3}
