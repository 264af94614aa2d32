"""Bi-encoders of sentence-transformers: what their own files say of vectors, by torch and by a graph."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

from answerable.encoders.choose import open_encoder
from answerable.encoders.pooled import PooledEncoder
from answerable.errors import MissingExtraError, ModelError
from answerable.testing.encoder import PASSAGES, EncoderContract
from answerable.text import words
from answerable.types import Skill
from tests.encoders.tiny import write_graph, write_sentences

WORDS = words(" ".join(f"{title} {text}" for title, text in PASSAGES) + " who designed the made first lenses query")
ASKED = "Who designed the Skerryvore lighthouse?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sentences(tmp_path_factory.mktemp("sentences"), WORDS)


@pytest.fixture(scope="module")
def graph(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("graph") / "sentences"
    shutil.copytree(folder, copy)
    return write_graph(
        copy, "AutoModel", ("input_ids", "attention_mask", "token_type_ids"), ("last_hidden_state", "pooler_output")
    )


class TestByTorch(EncoderContract):
    @pytest.fixture(autouse=True)
    def _opened(self, folder: Path) -> None:
        self.encoder = PooledEncoder(str(folder), 1)


class TestByGraph(EncoderContract):
    @pytest.fixture(autouse=True)
    def _opened(self, graph: Path) -> None:
        self.encoder = PooledEncoder(str(graph), 1)


def test_a_graph_needs_no_torch_and_gives_the_same_vectors(folder: Path, graph: Path, monkeypatch: pytest.MonkeyPatch):
    by_torch = PooledEncoder(str(folder), 1).encode_passages(PASSAGES)
    for gone in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, gone, None)
    by_graph = open_encoder(str(graph), 1)
    np.testing.assert_allclose(by_graph.encode_passages(PASSAGES), by_torch, atol=1e-5)
    monkeypatch.setattr("answerable.encoders.pretrained.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as raised:
        open_encoder(str(folder))
    assert "answerable[transformers]" in str(raised.value.hint)


def hidden(encoder: PooledEncoder, text: str) -> np.ndarray:
    (_, outputs, _), *_ = encoder._model.run([one.ids for one in encoder._model.encoded([text])])
    found: np.ndarray = outputs["last_hidden_state"][0]
    return found


@pytest.mark.parametrize(
    ("mode", "pooled"),
    [("cls_token", lambda h: h[0]), ("max_tokens", lambda h: h.max(0)), ("mean_tokens", lambda h: h.mean(0)),
     ("mean_sqrt_len_tokens", lambda h: h.mean(0)), ("lasttoken", lambda h: h[-1])],
)  # fmt: skip
def test_vectors_are_pooled_as_the_folder_says(folder: Path, tmp_path: Path, mode: str, pooled):
    shutil.copytree(folder, tmp_path / "own")
    (tmp_path / "own" / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{mode}": True}))
    encoder = PooledEncoder(str(tmp_path / "own"), 1)
    by_hand = pooled(hidden(encoder, ASKED))
    got = encoder.encode_query(ASKED, Skill.SINGLE)
    np.testing.assert_allclose(got, by_hand / np.linalg.norm(by_hand), atol=1e-5)
    beside_longer = encoder.encode_passages([("", ASKED), PASSAGES[3]])[0]  # padding counts for nothing
    np.testing.assert_allclose(beside_longer, got, atol=1e-5)


@pytest.mark.parametrize(
    ("told", "name", "asking", "held"),
    [
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, "own", "query: ", "passage: "),
        ({"prompts": {"query": "find: ", "document": ""}}, "own", "find: ", ""),
        ({"prompts": {"all": "text: "}, "default_prompt_name": "all"}, "own", "text: ", "text: "),
        ({"prompts": {"query": "", "document": ""}}, "multilingual-e5-small", "query: ", "passage: "),
        ({}, "e5-mistral-7b-instruct", "", ""),
        ({}, "bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ({}, "own", "", ""),
    ],
)
def test_prompts_are_the_folders_own_or_what_its_makers_say(
    folder: Path, tmp_path: Path, told, name: str, asking: str, held: str
):
    shutil.copytree(folder, tmp_path / name)
    (tmp_path / name / "config_sentence_transformers.json").write_text(json.dumps(told))
    encoder, plain = PooledEncoder(str(tmp_path / name), 1), PooledEncoder(str(folder), 1)
    by_hand = plain.encode_query(asking + ASKED, Skill.SINGLE)
    np.testing.assert_allclose(encoder.encode_query(ASKED, Skill.SINGLE), by_hand, atol=1e-6)
    title, text = PASSAGES[0]
    by_hand = plain.encode_passages([("", f"{held}{title}. {text}")])
    np.testing.assert_allclose(encoder.encode_passages([(title, text)]), by_hand, atol=1e-6)


def test_texts_are_cut_where_the_model_ends(folder: Path, tmp_path: Path):
    encoder = PooledEncoder(str(folder), 1)
    rows = encoder.encode_passages([("", "lenses " * 62 + "curlew"), ("", "lenses " * 62)])
    np.testing.assert_array_equal(rows[0], rows[1])
    shutil.copytree(folder, tmp_path / "own")
    (tmp_path / "own" / "sentence_bert_config.json").unlink()
    assert PooledEncoder(str(tmp_path / "own"), 1)._model.most == 130  # all the places it has


def test_an_older_folder_has_a_list_of_words_alone(folder: Path, tmp_path: Path):
    shutil.copytree(folder, tmp_path / "own")
    (tmp_path / "own" / "tokenizer.json").unlink()
    marks = ["[CLS]", "[PAD]", "[SEP]", "[UNK]"]
    (tmp_path / "own" / "vocab.txt").write_text("\n".join(dict.fromkeys([*marks, *WORDS])) + "\n", encoding="utf8")
    told = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    (tmp_path / "own" / "tokenizer_config.json").write_text(json.dumps(told))
    own, whole = PooledEncoder(str(tmp_path / "own"), 1), PooledEncoder(str(folder), 1)
    np.testing.assert_allclose(own.encode_passages(PASSAGES[:3]), whole.encode_passages(PASSAGES[:3]), atol=1e-5)


def test_the_name_changes_with_all_that_a_vector_depends_on(folder: Path, tmp_path: Path):
    shutil.copytree(folder, tmp_path / folder.name)
    name = PooledEncoder(str(folder), 1).name
    assert PooledEncoder(str(tmp_path / folder.name), 1).name == name
    for file, text in (
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
        ("config_sentence_transformers.json", {"prompts": {"query": "query: "}}),
    ):
        (tmp_path / folder.name / file).write_text(json.dumps(text))
        changed = PooledEncoder(str(tmp_path / folder.name), 1).name
        assert changed != name
        name = changed


def test_what_cannot_be_opened_is_named(folder: Path, tmp_path: Path):
    own = tmp_path / "own"
    shutil.copytree(folder, own)
    for file, text, wrong in (
        ("1_Pooling/config.json", {"pooling_mode_weightedmean_tokens": True}, "weightedmean"),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "include_prompt": False}, "not done here"),
        ("modules.json", [{"type": "a.Transformer", "path": ""}, {"type": "a.Dense", "path": "2"}], "Dense"),
        ("modules.json", [{"type": "a.Transformer", "path": ""}], "Pooling"),
        ("modules.json", {}, "not done here"),
        ("modules.json", None, "how vectors are made"),
        ("config.json", {"model_type": "own", "auto_map": {"AutoModel": "code.Model"}}, "AutoModel"),
        ("config.json", "nothing", "description of a model"),
        ("tokenizer.json", {}, "tokenizer.json"),
        ("model.safetensors", "nothing", "opened as AutoModel"),
    ):
        before = (own / file).read_bytes()
        (own / file).write_text("" if text is None else json.dumps(text))
        (own / "code.py").write_text("raise SystemExit('this is run')\n")
        with pytest.raises(ModelError, match=wrong):
            PooledEncoder(str(own), 1)
        (own / file).write_bytes(before)
    (own / "model.safetensors").rename(own / "pytorch_model.bin")  # a pickle is never read
    with pytest.raises(ModelError, match="no weights that can be opened"):
        PooledEncoder(str(own), 1)
    (own / "onnx").mkdir()
    (own / "onnx" / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="not a graph that can be run"):
        PooledEncoder(str(own), 1)
