from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("onnx", reason="training needs the extra `train`")

from answerable.encoders.choose import SHIPPED  # noqa: E402
from answerable.encoders.session import Session  # noqa: E402
from answerable.errors import ModelError  # noqa: E402
from answerable.readers.layout import Layout  # noqa: E402
from answerable.training.restore import restore_reader  # noqa: E402
from tests.contracts.reader import LIGHT, OTHER  # noqa: E402


def test_the_shipped_reader_comes_back_as_it_was() -> None:
    reader = restore_reader(SHIPPED / "reader").eval()
    shipped = Session(SHIPPED / "reader" / "model.onnx", 1)
    layout = Layout(Tokenizer.from_file(str(SHIPPED / "tokenizer.json")))
    for question, text in (
        ("Who designed Skerryvore Lighthouse?", LIGHT),
        ("When did the works close?", OTHER),
        ("Was Skerryvore Lighthouse first lit in 1844?", LIGHT),
    ):
        asked, head, told = layout.tokens([question, layout.head(""), text])
        laid = layout.lay(asked, [(head, told)], lambda *_: 0)
        feed = {
            "ids": np.array([laid.ids]),
            "types": np.array([laid.types]),
            "mask": np.ones((1, len(laid.ids)), np.int64),
        }
        with torch.no_grad():
            ours = reader(*(torch.from_numpy(feed[name]) for name in ("ids", "types", "mask")))
        for mine, theirs in zip(ours, shipped.run(feed), strict=True):
            kept = np.abs(theirs) < 100  # the question is masked with a large number
            assert np.corrcoef(mine.numpy()[kept], theirs[kept])[0, 1] > 0.99


def test_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match="not a reader"):
        restore_reader(SHIPPED / "minilm")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model"):
        restore_reader(tmp_path)
