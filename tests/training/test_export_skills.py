from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from answerable.encoders.modular import Pooling, SkillModel, SkillShape, Special, from_trunk
from answerable.encoders.pretrained import minilm_folder
from answerable.encoders.segments import Row, Segments
from answerable.encoders.skills import ModularEncoder
from answerable.encoders.trunk import load_trunk
from answerable.encoders.wordpieces import pad
from answerable.errors import ModelError
from answerable.testing.encoder import PASSAGES, LinkerContract
from answerable.training.export import export_skills
from answerable.training.restore import restore_skills
from answerable.types import Skill
from tests.training.skills.worlds import small_model, write_tokenizer

TEXT = "Skerryvore is a lighthouse off Tiree; Alan Stevenson built it."
SPANS = [(0, 10), (31, 36), (38, 52)]
QUERIES = (Skill.SINGLE, Skill.EXPANDED, Skill.PASSAGE, Skill.ENTITY)


def vectors(model: SkillModel, rows: list[Row], skill: Skill) -> np.ndarray:
    ids, mask = (torch.from_numpy(array) for array in pad([row.ids for row in rows]))
    places = torch.tensor([row.places for row in rows]) if rows[0].places else None
    with torch.no_grad():
        return model(ids, mask, skill, places).numpy()


def cosine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.atleast_1d((one * other).sum(-1) / norms)


def agrees(model: SkillModel, encoder: ModularEncoder, least: float) -> None:
    """Vectors of all skills are torch's: 0.99 in the mean, `least` for each text; reranking's scores are near."""
    segments, most = encoder.segments, min(256, model.trunk.shape.positions)
    near = []
    for skill in QUERIES:
        for passages in ([], PASSAGES[:1]):
            row = Row(segments.joined([(TEXT, passages)], most)[0].ids)
            near.append(cosine(encoder.encode_query(TEXT, skill, passages), vectors(model, [row], skill)[0]))
    for found, skill in ((encoder.encode_passages, Skill.PASSAGE), (encoder.encode_entities, Skill.ENTITY)):
        near.append(cosine(found(PASSAGES), vectors(model, segments.passages(PASSAGES, min(192, most)), skill)))
    rows = [segments.spans([(TEXT, [span])], most)[0] for span in SPANS]
    near.append(cosine(encoder.encode_mentions(TEXT, SPANS), vectors(model, rows, Skill.MENTION)))
    every = np.concatenate(near)
    assert len(every) == 8 + 2 * len(PASSAGES) + len(SPANS)
    assert every.mean() > 0.99 and every.min() > least
    pairs = segments.joined([(TEXT, [passage]) for passage in PASSAGES], most)
    ends = vectors(model, pairs, Skill.RERANK)
    scores = (ends[:, 0] * ends[:, 1]).sum(-1)
    # Products of long vectors: MiniLM's, 8 to 26 here, move by 3 for a passage without text, by 1 for the others.
    np.testing.assert_allclose(encoder.rerank(TEXT, PASSAGES), scores, rtol=0.06, atol=2.0)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[SkillModel, Path]:
    folder = tmp_path_factory.mktemp("model")
    model = small_model()
    export_skills(model, folder, "tiny", write_tokenizer(folder / "tokenizer.json"), {"licence": "ours"})
    return model, folder


def comes_back(model: SkillModel, folder: Path) -> None:
    """What was exported can be trained on: in its shape, with its weights."""
    found, tokenizer = restore_skills(folder)
    assert tokenizer == folder / "tokenizer.json" and found.trunk.shape == model.trunk.shape
    assert found.how == model.how and found.how.experts() == model.how.experts()
    theirs = model.state_dict()
    for name, weight in found.state_dict().items():
        if name != "trunk.types.weight":  # of its rows only the first is ever used
            assert torch.allclose(weight, theirs[name], atol=float(theirs[name].abs().max()) / 60), name


def test_every_skill_agrees_with_torch(exported: tuple[SkillModel, Path]) -> None:
    model, folder = exported
    agrees(model, ModularEncoder(folder, threads=1), 0.99)
    comes_back(model, folder)


@pytest.mark.parametrize(
    "how",
    [
        SkillShape("naive", Special.FEED_FORWARD, unit=False, temperature=1.0),
        SkillShape(special=Special.NONE),
        SkillShape(pooling=Pooling.CLS, unit=False, temperature=1.0, routing="separate"),
        SkillShape(reading=True),
    ],
    ids=["feed-forward", "none", "cls", "reading"],
)
def test_the_alternatives_can_be_exported_too_and_come_back(how: SkillShape, tmp_path: Path) -> None:
    model = small_model(how)
    export_skills(model, tmp_path, "tiny", write_tokenizer(tmp_path / "tokenizer.json"), {})
    assert len(list(tmp_path.glob("*.onnx"))) == len(how.experts())
    agrees(model, ModularEncoder(tmp_path, threads=1), 0.99)
    comes_back(model, tmp_path)


def test_nothing_is_stored_twice(exported: tuple[SkillModel, Path]) -> None:
    _, folder = exported
    stored = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    places: dict[str, set[tuple[str, int, int]]] = {}
    for path in folder.glob("*.onnx"):
        graph = onnx.load(str(path), load_external_data=False).graph
        for tensor in graph.initializer:
            if tensor.data_location == onnx.TensorProto.EXTERNAL:
                about = {item.key: item.value for item in tensor.external_data}
                places.setdefault(path.stem, set()).add((about["location"], int(about["offset"]), int(about["length"])))
            else:
                assert tensor.ByteSize() < 2048
    assert len(places) == 6
    shared = set.intersection(*places.values())
    size = sum(map(len, stored.values()))
    assert {file for file, _, _ in shared} == {"shared.bin"}
    assert sum(length for _, _, length in shared) > 0.3 * size
    contents = [stored[file][offset : offset + length] for file, offset, length in set.union(*places.values())]
    assert len(contents) == len(set(contents))
    assert sum(map(len, contents)) > 0.9 * size  # the rest fills up to the alignment
    for name, one in places.items():  # an expert's own part: four matrices of each layer
        own = one - set.union(*(other for other in places.values() if other is not one))
        assert len(own) >= 4 and {file for file, _, _ in own} == {f"{name}.bin"}


def test_proposed_spans_are_those_above_the_threshold(exported: tuple[SkillModel, Path]) -> None:
    model, folder = exported
    encoder = ModularEncoder(folder, threads=1)
    text = "Curlew nests on the heath in Scotland"
    found = encoder.propose(text)
    row, offsets = encoder.segments.words(text)
    begins = [encoder.segments.begins_word(token) for token in row.ids[1:-1]]
    places = [
        (a + 1, b + 1)
        for a in range(len(offsets))
        for b in range(a, min(a + 10, len(offsets)))
        if begins[a] and (b + 1 == len(offsets) or begins[b + 1])
    ]
    spans = vectors(model, [Row(row.ids, ((0, 0), *places))], Skill.PROPOSE)[0] @ model.anchor.detach().numpy()
    by_torch = {
        (offsets[a - 1][0], offsets[b - 1][1]): float(s - spans[0]) for (a, b), s in zip(places, spans[1:], strict=True)
    }
    assert found
    for span, score in found:
        assert score == pytest.approx(by_torch[span], abs=0.1) and score > 0
    ends = [x for span, _ in found for x in span]
    assert ends == sorted(ends)  # in order, none overlapping
    best = max(by_torch, key=lambda span: by_torch[span])
    assert any(a < best[1] and best[0] < b for (a, b), _ in found)
    assert encoder.propose("") == []


def test_a_mention_of_nothing_is_that_of_the_whole(exported: tuple[SkillModel, Path]) -> None:
    encoder = ModularEncoder(exported[1], threads=1)
    assert encoder.encode_mentions(TEXT, []).shape == (0, 32)
    np.testing.assert_allclose(np.linalg.norm(encoder.encode_mentions(TEXT, [(3, 3)]), axis=1), 1.0, atol=1e-5)


def test_what_is_no_skill_model_is_refused() -> None:
    from answerable.encoders.choose import SHIPPED

    with pytest.raises(ModelError, match="not one of skills"):
        ModularEncoder(SHIPPED / "reader")


def test_a_model_from_before_reading_opens_and_reads_as_it_reranks(
    exported: tuple[SkillModel, Path], tmp_path: Path
) -> None:
    shutil.copytree(exported[1], tmp_path, dirs_exist_ok=True)
    manifest = tmp_path / "manifest.json"
    about = json.loads(manifest.read_text(encoding="utf8"))
    del about["routing"]["read"]
    manifest.write_text(json.dumps(about), encoding="utf8")
    encoder = ModularEncoder(tmp_path, threads=1)
    np.testing.assert_array_equal(encoder.encode_query(TEXT, Skill.READ), encoder.encode_query(TEXT, Skill.RERANK))


def test_a_damaged_file_is_refused(exported: tuple[SkillModel, Path], tmp_path: Path) -> None:
    shutil.copytree(exported[1], tmp_path, dirs_exist_ok=True)
    weights = tmp_path / "shared.bin"
    weights.write_bytes(weights.read_bytes()[:-1] + b"!")
    with pytest.raises(ModelError, match=r"shared\.bin is damaged"):
        ModularEncoder(tmp_path)


class TestWithMiniLM(LinkerContract):
    """MiniLM's weights, through one expert for all skills: six take six times as long to write, and nothing else."""

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def made(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        folder = tmp_path_factory.mktemp("minilm")
        one = SkillShape(special=Special.NONE)
        cls.model = from_trunk(load_trunk(minilm_folder() / "model.safetensors"), one).eval()
        cls.folder = folder
        export_skills(cls.model, folder, "six", minilm_folder() / "tokenizer.json", {})
        cls.encoder = ModularEncoder(folder, threads=1)

    def test_every_skill_agrees_with_torch(self) -> None:
        agrees(self.model, self.encoder, 0.98)  # MiniLM loses more in int8 than a small random model

    def test_six_experts_stay_under_64_megabytes(self) -> None:
        size = sum(path.stat().st_size for path in self.folder.iterdir())
        shape = self.model.trunk.shape
        expert = shape.layers * 4 * (shape.width**2 + 3 * 4 * shape.width)  # int8, with scale, zero point and bias
        assert size > 20e6 and size + 5 * expert < 64e6

    def test_mentions_in_a_long_text_are_read_around_each(self) -> None:
        long = "The lamp is lit. " * 120 + TEXT + " The wall is of stone." * 120
        at = long.index(TEXT)
        spans = [(at + a, at + b) for a, b in SPANS]
        far = self.encoder.encode_mentions(long, [*spans, (4, 8)])
        near = self.encoder.encode_mentions(long[at - 300 : at + 300], [(a - at + 300, b - at + 300) for a, b in spans])
        assert cosine(far[:3], near).min() > 0.8 and far.shape == (4, 384)
        assert cosine(far[3:], far[:1]).max() < 0.9


def test_segments_are_exported_with_the_model(exported: tuple[SkillModel, Path]) -> None:
    here = Segments(exported[1] / "tokenizer.json")
    assert here.texts([TEXT]) == ModularEncoder(exported[1]).segments.texts([TEXT])
