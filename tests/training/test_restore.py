from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("onnx", reason="training needs the extra `train`")

from answerable.encoders.choose import SHIPPED  # noqa: E402
from answerable.encoders.session import Session  # noqa: E402
from answerable.errors import ModelError  # noqa: E402
from answerable.training.restore import restore_reader  # noqa: E402


def test_the_shipped_reader_comes_back_as_it_was() -> None:
    reader = restore_reader(SHIPPED / "reader").eval()
    ids = np.random.default_rng(0).integers(1000, 20000, (2, 40))
    types = np.repeat((np.arange(40) > 9)[None].astype(np.int64), 2, axis=0)
    mask = np.ones_like(ids)
    shipped = Session(SHIPPED / "reader" / "model.onnx", 1).run({"ids": ids, "types": types, "mask": mask})
    with torch.no_grad():
        ours = reader(*(torch.from_numpy(array) for array in (ids, types, mask)))
    for mine, theirs in zip(ours, shipped, strict=True):
        kept = np.abs(theirs) < 100  # the question is masked with a large number
        assert np.corrcoef(mine.numpy()[kept], theirs[kept])[0, 1] > 0.98


def test_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match="not a reader"):
        restore_reader(SHIPPED / "minilm")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model"):
        restore_reader(tmp_path)
