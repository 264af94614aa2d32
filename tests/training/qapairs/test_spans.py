from __future__ import annotations

import json
import os
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from answerable.encoders.choose import SHIPPED
from answerable.encoders.segments import Segments
from answerable.encoders.skills import ModularEncoder
from answerable.qapairs.generation.heads import LONGEST, MARKS, SpanExtractor, SpanHead, windows
from answerable.training.qapairs.spans import Answered, SpanModel, SpanRecipe, answered, recall, span_loss, train_spans
from tests.contracts.extractor import passage
from tests.training.files import article, write_squad

TEXTS = [
    f"In {1800 + n} the keeper {name} lit the lamp of the tower." for n, name in enumerate("Ada Bea Cy Dot".split())
]


def _squad(path: Path) -> None:
    paragraphs = [(text, [("?", text[3:7]), ("?", text.split()[4])]) for text in TEXTS]
    write_squad(path, [article(title, *paragraphs) for title in ("Towers", _held_title())])


def _held_title() -> str:
    return next(title for title in map("Lamp {}".format, range(1000)) if Answered(title, "", (), ()).held)


def test_the_head_in_torch_scores_as_the_one_that_ships_runs() -> None:
    torch.manual_seed(1)
    model = SpanModel(8, 5, 0.0).eval()
    torch.nn.init.normal_(model.long)
    (window,) = windows(Segments(SHIPPED / "tokenizer.json"), "", TEXTS[0])
    seen = np.random.default_rng(2).normal(size=(len(window.offsets), 8 + MARKS)).astype(np.float32)
    with torch.no_grad():
        made = model(*(torch.from_numpy(part)[None] for part in (seen, window.begins, window.ends)))[0].numpy()
    scores = SpanHead(model.weights()).scores(window, seen)
    possible = np.isfinite(scores[:, : made.shape[1]])
    np.testing.assert_allclose(made[possible], scores[:, : made.shape[1]][possible], rtol=1e-4, atol=1e-5)
    assert (made[~possible] < -1000).all() and not np.isfinite(scores[:, made.shape[1] :]).any()


def test_the_loss_is_least_where_all_probability_is_on_answers() -> None:
    scores = torch.zeros(1, 4, LONGEST)
    answers = [[(1, 0), (2, 1)]]
    flat = float(span_loss(scores, answers))
    assert flat == pytest.approx(np.log(4 * LONGEST / 2))
    scores[0, 1, 0] = scores[0, 2, 1] = 50.0
    assert float(span_loss(scores, answers)) == pytest.approx(0.0, abs=1e-4)


def test_recall_counts_answers_as_characters_and_as_words() -> None:
    one = Answered("t", "In 1844, or: the 1844.", ((3, 7), (13, 16)), (("1844",), ("the",)))
    assert recall([one], [[(17, 21)]]).exact == 0 and recall([one], [[(17, 21)]]).words == 0.5
    assert recall([one], [[(3, 7), (13, 16)]]).exact == 1
    assert recall([one], [[]]).spans == 0


def test_it_learns_from_a_recipe_goes_on_and_gives_a_head_that_opens(tmp_path: Path) -> None:
    _squad(tmp_path / "squad" / "squad-train-part.json.gz")
    assert sum(one.held for one in answered(tmp_path, "squad")) == len(TEXTS)
    loop = {"rate": 0.02, "tokens": 64, "seed": 41}
    recipe = {"kind": "pair-spans", "hidden": 8, "dropout": 0.1, "epochs": 25, "loop": loop, "sources": {"squad": 1}}
    out = tmp_path / "out"
    out.mkdir()
    shipped = train_spans(SpanRecipe.of(recipe), tmp_path, out)
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert len(lines) == 25 and lines[-1]["loss"] < lines[0]["loss"] / 2
    found = SpanExtractor(ModularEncoder(SHIPPED / "skills", 1), shipped.folder, most=8)
    assert {"1800", "Ada"} <= {one.text for one in found.extract([passage(TEXTS[0], "Towers")])[0]}
    assert train_spans(SpanRecipe.of(recipe), tmp_path, out).name == shipped.name
    assert len((out / "log.jsonl").read_text().splitlines()) == 25
    torch.save(Planted(tmp_path / "planted"), out / "checkpoint.pt")
    with pytest.raises(pickle.UnpicklingError):
        train_spans(SpanRecipe.of(recipe), tmp_path, out)
    assert not (tmp_path / "planted").exists()


@dataclass
class Planted:
    """What makes a folder when it is read by pickle."""

    folder: Path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.folder),)
