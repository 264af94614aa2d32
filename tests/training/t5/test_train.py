"""The paper's two models, from a tiny T5: what they learn, and what they promise as a judge and an encoder."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("transformers", reason="T5 models need the extra `transformers`")


from answerable.encoders.choose import open_encoder
from answerable.encoders.t5 import is_t5
from answerable.encoders.t5_judge import T5Judge
from answerable.errors import ModelError, UsageError
from answerable.evaluation.sets.open import judge_name
from answerable.training.lexical import Lexical
from answerable.training.t5.draw import NegativeSettings, load_queries, load_texts, negatives, pairs
from answerable.training.t5.train import T5Recipe, train_classifier, train_dual_encoder
from answerable.types import Skill
from answerable.workspace.models import open_judge
from tests.evaluation.sets.worlds import THINGS
from tests.training.t5.worlds import write_data, write_t5

FITS = ("red-ball", "A red ball of wood.")
FITS_NOT = ("green-cone", "A green cone of wood.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("t5")
    write_t5(folder / "start")
    write_data(folder / "data")
    return folder


def recipe(folder: Path, **more: object) -> dict[str, object]:
    loop = {"rate": 5e-3, "tokens": 512, "evaluate_steps": 100, "seed": 5}
    given = {"start": str(folder / "start"), "threads": 1, "tokens": 64, "judged": 2, "loop": loop}
    return {**given, **more}


def test_a_classifier_learns_to_tell_documents_apart(folder: Path):
    how = recipe(folder, epochs=20, negatives={"random": 12, "found": 4, "depth": 12, "copies": 3})
    made = train_classifier(T5Recipe.of(how), folder / "data", folder / "classifier")
    judge = T5Judge(str(made.folder), 1)
    found = judge.judge(["red things", "blue things that are not cubes"], [FITS, FITS_NOT])
    assert found.shape == (2, 2) and found.dtype == np.float32 and ((found >= 0) & (found <= 1)).all()
    assert found[0, 0] > 0.5 > found[1, 0]
    assert judge.judge(["red things"], [FITS])[0, 0] == pytest.approx(found[0, 0], abs=1e-5)  # no other text counts
    assert judge.judge(["red things"], []).shape == (0, 1)
    assert judge.name == made.name == judge_name(str(made.folder)) and made.name.startswith("t5-classifier-")
    assert isinstance(open_judge(str(made.folder), 1), T5Judge)
    evaluated = [json.loads(line) for line in (folder / "classifier" / "log.jsonl").read_text().splitlines()]
    assert evaluated[-1]["evaluation"]["AUROC"] > 0.6


def test_a_dual_encoder_learns_to_find_documents(folder: Path):
    made = train_dual_encoder(
        T5Recipe.of(recipe(folder, epochs=40, batch=6, temperature=0.05)), folder / "data", folder / "dual"
    )
    encoder = open_encoder(str(made.folder), 1)
    texts = [(id, text) for id, text in THINGS.items()]
    rows = encoder.encode_passages(texts)
    assert rows.shape == (12, encoder.dimension) and np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    query = encoder.encode_query("red things", Skill.SINGLE)
    assert np.allclose(query, encoder.encode_queries([("x", Skill.SINGLE, ()), ("red things", Skill.SINGLE, ())])[1])
    best = [texts[i][0] for i in np.argsort(-(rows @ query))[:4]]
    assert sum(id.startswith("red") for id in best) >= 3
    assert np.allclose(encoder.encode_passages(texts[3:4]), rows[3:4], atol=1e-5)


def test_negatives_do_not_fit_and_come_from_both_sides(folder: Path):
    texts = load_texts(folder / "data")
    queries = load_queries(folder / "data", texts)
    found = Lexical(texts, folder / "words")
    rng = random.Random(1)
    for one in queries:
        drawn = negatives(one, list(texts), found, NegativeSettings(3, 2, 12, 1), rng)
        assert not set(drawn) & set(one.documents) and len(drawn) == len(set(drawn)) <= 5
    drawn_pairs = pairs(queries, texts, found, NegativeSettings(3, 2, 12, 4), seed=2)
    assert drawn_pairs == pairs(queries, texts, found, NegativeSettings(3, 2, 12, 4), seed=2)
    fits = [one for one in drawn_pairs if one.fits]
    assert len(fits) == 4 * sum(len(one.documents) for one in queries)


def test_recipes_that_cannot_be_used(folder: Path):
    for wrong in ({}, {"start": "x", "batch": 1}, {"start": "x", "more": 1}, {"start": "x", "loop": {"speed": 1}}):
        with pytest.raises(UsageError):
            T5Recipe.of(wrong)
    assert T5Recipe.of({"start": "x"}).negatives == NegativeSettings()


def test_what_is_no_t5(folder: Path, tmp_path: Path):
    assert is_t5("t5:google/t5-v1_1-base") and is_t5(str(folder / "start"))
    assert not is_t5("minilm") and not is_t5(str(folder / "data"))
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(ModelError):
        T5Judge(str(tmp_path))
