from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from answerable.encoders.choose import open_encoder
from answerable.encoders.modular import SkillShape
from answerable.encoders.shipped import open_shipped
from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError
from answerable.readers.paths import open_paths
from answerable.testing.encoder import PASSAGES
from answerable.testing.reader import LIGHT, OTHER, chain
from answerable.training.experts import begin_expert, export_expert
from answerable.training.export import export_skills
from answerable.training.paths.model import PATHS, PathModel
from answerable.training.paths.train import reader_of
from answerable.training.start import TOKENIZER, begin, keep, open_run
from answerable.types import Skill
from tests.training.experts import noised
from tests.training.paths.worlds import layout, write_bert

QUESTION = "Who designed Skerryvore Lighthouse?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of skills in `skills`, exported to `before`; and to `model` once it has learned to read."""
    folder = tmp_path_factory.mktemp("paths")
    bert = write_bert(folder / "bert")
    skills = noised(begin(str(bert), SkillShape())[0], 0.03)
    keep(skills, bert / TOKENIZER, folder / "skills")
    torch.save({"model": skills.state_dict()}, folder / "skills/best.pt")
    export_skills(skills, folder / "before", "tiny", bert / TOKENIZER, {})
    export_expert(PATHS, trained(folder), folder / "model", bert / TOKENIZER, 128, "tiny", {"licence": "ours"})
    return folder


def trained(folder: Path) -> PathModel:
    """The reader after what could have been training."""
    torch.manual_seed(4)  # its heads are drawn too
    return noised(begin_expert(PATHS, str(folder / "skills"), 0.0)[0], 0.05, 4)  # type: ignore[no-any-return]


def test_it_is_the_encoder_that_it_was(folder: Path) -> None:
    before, after = (ModularEncoder(folder / name, threads=1) for name in ("before", "model"))
    assert before.name == after.name
    for skill in Skill:
        if skill is not Skill.READ:
            for passages in ([], PASSAGES[:1]):
                one, other = (encoder.encode_query(QUESTION, skill, passages) for encoder in (before, after))
                np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(before.encode_passages(PASSAGES), after.encode_passages(PASSAGES))
    assert not np.array_equal(before.encode_query(QUESTION, Skill.READ), after.encode_query(QUESTION, Skill.READ))
    assert open_encoder(str(folder / "model")).name == before.name
    assert open_run(folder / "skills").how.expert(Skill.READ) == "expanded"


def test_the_expert_of_reading_and_its_heads_alone_are_added(folder: Path) -> None:
    before, after = (open_shipped(folder / name).about["files"] for name in ("before", "model"))
    assert set(after) - set(before) == {"read.onnx", "read.bin", "reading.npz"}
    kept = [file for file in before if not file.endswith(".onnx")]  # in graphs only the names of steps change
    assert len(kept) == 9 and all(before[file] == after[file] for file in kept)  # by their digests
    assert (folder / "model/reading.npz").stat().st_size < 4000
    assert open_shipped(folder / "model").about["licence"] == "ours"


def test_int8_reads_as_torch_does(folder: Path) -> None:
    small = open_paths(open_shipped(folder / "model"), 1)
    whole = reader_of(trained(folder), layout(folder / "bert"), {})
    chains = [chain(LIGHT), chain(OTHER), chain(OTHER, LIGHT)]
    for one, other in zip(small.look(QUESTION, chains), whole.look(QUESTION, chains), strict=True):
        assert one.score == pytest.approx(other.score, abs=0.15)
        best = {c.text: c.score for c in other.candidates}
        assert one.candidates[0].score == pytest.approx(max(best.values()), abs=0.15)


def test_what_a_path_scores_depends_on_it_alone(folder: Path) -> None:
    reader = open_paths(open_shipped(folder / "model"), 2)
    chains = [chain(LIGHT), chain(OTHER * 3), chain(OTHER, LIGHT)]
    assert reader.look(QUESTION, chains) == [reader.look(QUESTION, [one])[0] for one in chains]


def test_a_folder_without_heads_or_damaged_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not read paths"):
        open_paths(open_shipped(folder / "before"))
    shutil.copytree(folder / "model", tmp_path / "broken")
    (tmp_path / "broken/reading.npz").write_bytes(b"no heads")
    with pytest.raises(ModelError, match=r"reading\.npz is damaged"):
        open_paths(open_shipped(tmp_path / "broken"))


def test_the_order_of_chains_does_not_matter(folder: Path) -> None:
    """To what is read. It counts in ranking, to which weights drawn at random leave everything."""
    reader = open_paths(open_shipped(folder / "model"), 1)
    question, chains = "When was Skerryvore Lighthouse first lit?", [chain(LIGHT), chain(OTHER)]
    assert reader.look(question, chains) == reader.look(question, chains[::-1])[::-1]
    for text in ("", " ", "🗼" * 50, "x" * 20_000, "a\x00b\n\n\tc", "ÅØǼ ﬁ " * 40):
        (path,) = reader.look(question, [chain(text)])
        assert all(one.text in text for one in path.candidates)
