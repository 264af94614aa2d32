from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="exporting needs the extra `train`")

from answerable.encoders.choose import open_encoder  # noqa: E402
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.encoders.wordpieces import pad  # noqa: E402
from answerable.errors import ModelError  # noqa: E402
from answerable.readers.fused import FusedReader, open_fused  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.testing.reader import LIGHT, OTHER, ReaderContract, chain  # noqa: E402
from answerable.training.experts import export_expert  # noqa: E402
from answerable.training.export import export_skills  # noqa: E402
from answerable.training.fusion.judge import reader_of  # noqa: E402
from answerable.training.fusion.model import FUSION, FusedModel  # noqa: E402
from answerable.training.start import TOKENIZER  # noqa: E402
from answerable.types import Skill  # noqa: E402
from answerable.workspace.models import open_reader  # noqa: E402
from tests.training.fusion.worlds import model  # noqa: E402
from tests.training.paths.worlds import layout, write_bert  # noqa: E402

QUESTION = "Who designed Skerryvore Lighthouse?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The encoder alone in `before`; with the reader in `model`."""
    folder = tmp_path_factory.mktemp("fusion")
    bert = write_bert(folder / "bert")
    export_skills(trained(folder).model, folder / "before", "tiny", bert / TOKENIZER, {})
    export_expert(FUSION, trained(folder), folder / "model", bert / TOKENIZER, 128, "tiny", {"licence": "ours"})
    return folder


def trained(folder: Path) -> FusedModel:
    """The reader after what could have been training."""
    made = model(folder / "bert")
    torch.manual_seed(4)
    for weight in made.parameters():
        weight.data += 0.05 * torch.randn_like(weight)
    return made


def test_int8_scores_spans_as_torch_does(folder: Path) -> None:
    reader = open_fused(open_shipped(folder / "model"), 1)
    whole = trained(folder)
    texts = [(LIGHT, OTHER, LIGHT * 3), (OTHER,), (LIGHT * 2, OTHER * 2) * 4]
    for some in texts:  # as many passages as there are, and of any length
        rows = [layout(folder / "bert").tokens([text])[0].ids[:90] for text in some]
        scores, none = reader._run(rows)
        with torch.no_grad():
            ids, mask = (torch.from_numpy(array)[None] for array in pad(rows))
            expected, null = whole(ids, mask, mask.bool())
        kept = (expected[0] > -1e8).numpy()
        one, other = scores[kept] - none, expected[0].numpy()[kept] - float(null)
        assert scores.shape == (*ids.shape[1:], 15)
        one, other = one - one.mean(), other - other.mean()  # so that being alike is not having the same mean
        assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.99
        assert np.abs(scores[kept] - expected[0].numpy()[kept]).max() < 0.15


def test_int8_answers_as_torch_does(folder: Path) -> None:
    chains = [chain(LIGHT), chain(OTHER, LIGHT)]
    small = open_fused(open_shipped(folder / "model"), 1).read(QUESTION, chains)
    whole = {c.text: c.score for c in reader_of(trained(folder), layout(folder / "bert")).read(QUESTION, chains)}
    assert small[0].score == pytest.approx(max(whole.values()), abs=0.15)
    assert whole[small[0].text] == pytest.approx(max(whole.values()), abs=0.15)


def test_it_is_the_encoder_that_it_was_and_shares_its_weights(folder: Path) -> None:
    before, after = (ModularEncoder(folder / name, threads=1) for name in ("before", "model"))
    assert before.name == after.name == open_encoder(str(folder / "model")).name
    for skill in Skill:
        one, other = (encoder.encode_query(QUESTION, skill, PASSAGES[:1]) for encoder in (before, after))
        np.testing.assert_array_equal(one, other)
    sizes = {name: sum(file.stat().st_size for file in (folder / name).glob("*.bin")) for name in ("before", "model")}
    made = trained(folder)
    heads = sum(part.weight.numel() for part in (made.first, made.last, made.span, made.none))
    assert 0 < sizes["model"] - sizes["before"] < 2 * heads + 2048  # what reading adds is its heads
    assert open_shipped(folder / "model").about["licence"] == "ours"


def test_a_folder_without_its_graph_or_damaged_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not read many passages"):
        open_fused(open_shipped(folder / "before"))
    shutil.copytree(folder / "model", tmp_path / "broken")
    (tmp_path / "broken/fused.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"fused\.onnx is damaged"):
        open_reader(str(tmp_path / "broken"))


class TestFusedReader(ReaderContract):
    @pytest.fixture(autouse=True)
    def opened(self, folder: Path) -> None:
        self.reader, calibration = open_reader(str(folder / "model"), 1)
        assert isinstance(self.reader, FusedReader) and calibration.fitted_on
