"""Cross-encoders and models of inference: what their numbers mean, and that pairs are read alone."""

import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

from answerable.encoders.cross import CrossEncoder
from answerable.encoders.encoder import Reranker
from answerable.errors import ModelError
from answerable.testing.encoder import PASSAGES
from answerable.text import words
from tests.encoders.tiny import write_bert, write_graph

WORDS = words(" ".join(f"{title} {text}" for title, text in PASSAGES) + " who designed the answer question is yes")
NAMED = {0: "contradiction", 1: "entailment", 2: "neutral"}
HEAD = "ForSequenceClassification"


@pytest.fixture(scope="module")
def ranking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("cross"), HEAD, WORDS, num_labels=1)


@pytest.fixture(scope="module")
def inferring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    labels = {label: row for row, label in NAMED.items()}
    folder = tmp_path_factory.mktemp("inference")
    return write_bert(folder, HEAD, WORDS, "roberta", num_labels=3, id2label=NAMED, label2id=labels)


def test_each_passage_is_read_alone_with_the_question(ranking: Path):
    model = CrossEncoder(str(ranking), 1)
    assert isinstance(model, Reranker)
    scores = model.rerank("Who designed it?", PASSAGES)
    assert scores.shape == (len(PASSAGES),) and scores.dtype == np.float32 and len({*scores.tolist()}) > 3
    np.testing.assert_array_equal(model.rerank("Who designed it?", PASSAGES[::-1])[::-1], scores)
    for number, passage in enumerate(PASSAGES):
        np.testing.assert_array_equal(model.rerank("Who designed it?", [passage]), scores[number : number + 1])
    assert model.rerank("Who?", []).shape == (0,)
    assert np.isfinite(model.rerank("word " * 4000, [("", "x" * 20_000), ("\udcff", "")])).all()


def test_a_graph_gives_the_same_scores(ranking: Path, tmp_path: Path):
    shutil.copytree(ranking, tmp_path / "own")
    before = CrossEncoder(str(tmp_path / "own"), 1).rerank("Who designed it?", PASSAGES)
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    write_graph(tmp_path / "own", "AutoModelForSequenceClassification", inputs, ["logits"])
    after = CrossEncoder(str(tmp_path / "own"), 1).rerank("Who designed it?", PASSAGES)
    np.testing.assert_allclose(after, before, atol=1e-4)


def test_two_labels_are_log_odds_of_the_second(tmp_path: Path):
    model = CrossEncoder(str(write_bert(tmp_path, HEAD, WORDS, num_labels=2)), 1)
    (encoding,) = model._model.encoded([("Who designed it?", "Curlew. A wader.")])
    (_, outputs, _), *_ = model._model.run([encoding.ids], [encoding.type_ids])
    ((no, yes),) = outputs["logits"]
    assert float(model.rerank("Who designed it?", [("Curlew", "A wader.")])[0]) == pytest.approx(float(yes - no))


def test_models_of_other_kinds_are_refused(ranking: Path, inferring: Path, tmp_path: Path):
    with pytest.raises(ModelError, match="3 kinds of pairs"):
        CrossEncoder(str(inferring), 1)
    with pytest.raises(ModelError, match="no weights"):
        CrossEncoder(str(tmp_path), 1)
